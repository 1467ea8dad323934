import { describeFault } from "../../base/describe-fault.ts";
import { AppError, faultOf } from "../../base/errors.ts";
import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import type { Generation, NewGeneration } from "../../db/agent/schema/generations.ts";
import { type CacheKey, readEmbeddingCache, writeEmbeddingCache } from "../../db/control/embedding-cache.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import { type InputLimit, inputLimitOf } from "../../embeddings/model-input.ts";
import { remoteInputLimit } from "../../embeddings/providers.ts";
import { DEFAULT_EMBEDDING_MODEL, FORMER_DEFAULT_MODELS } from "../../onnx/model-table.ts";
import { USUAL_LANGUAGE } from "../../relevance/words/text-language.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Embedders, EmbeddingDeps } from "./embedding-deps.ts";

/**
 * Returns the generation that an agent's settings ask for.
 *
 * @throws AppError `config_invalid`, `embedder_unavailable`
 */
export async function targetGeneration(deps: EmbeddingDeps, { settings }: AgentProfile): Promise<NewGeneration> {
  const embedder = await deps.embedders.forSettings(settings);
  return {
    provider: embedder?.provider ?? "none",
    model: embedder?.model ?? "none",
    endpoint: embedder?.endpoint ?? "",
    dimensions: embedder?.dimensions ?? null,
    chunkTokens: settings.chunking.tokens,
    chunkOverlap: settings.chunking.overlap,
    chunkHeadings: settings.chunking.headings,
    ...stemming(settings),
    alsoServe: formerModels(settings, embedder),
  };
}

/**
 * Returns the former default models if the settings name no model and so use the default. A memory
 * need not be embedded anew because the default has changed.
 */
function formerModels({ model }: MemorySettings, embedder: Embedder | undefined): readonly string[] | undefined {
  const isDefault = embedder?.provider === "builtin" && embedder.model === DEFAULT_EMBEDDING_MODEL;
  return isDefault && model !== DEFAULT_EMBEDDING_MODEL ? FORMER_DEFAULT_MODELS : undefined;
}

/**
 * Returns the language of a generation. With `auto` it is the default for texts whose language
 * cannot be detected.
 */
function stemming({ query }: MemorySettings): Pick<NewGeneration, "language" | "followsText"> {
  const followsText = query.language === "auto";
  return { language: followsText ? USUAL_LANGUAGE : query.language, followsText };
}

/**
 * Returns the same as `targetGeneration`, but a generation without vectors while the embedder is
 * unavailable. Writes and searches then work by keyword, and the index is rebuilt when the embedder
 * is back.
 */
export async function targetOrKeywordGeneration(deps: EmbeddingDeps, profile: AgentProfile): Promise<NewGeneration> {
  try {
    return await targetGeneration(deps, profile);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    deps.logger.warn({ agentId: profile.agentId, ...faultOf(error) }, "no embedder; keyword search only");
    const none = { provider: "none", model: "none", endpoint: "", dimensions: null };
    const { tokens, overlap, headings } = profile.settings.chunking;
    const chunking = { chunkTokens: tokens, chunkOverlap: overlap, chunkHeadings: headings };
    return { ...none, ...chunking, ...stemming(profile.settings) };
  }
}

/**
 * Refuses settings whose provider lacks a key or a file on this server. A provider that does not
 * answer is no reason to refuse.
 *
 * @throws AppError `invalid_settings`
 */
export async function checkEmbedding(deps: EmbeddingDeps, settings: MemorySettings): Promise<void> {
  await deps.embedders.forSettings(settings).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "config_invalid")
      throw new AppError("invalid_settings", `The settings are not valid. provider: ${error.message}`, {
        cause: error,
      });
  });
}

/**
 * Returns the embedder that made a generation; undefined if it is not available. No other embedder
 * may write to the generation or search it: vectors of two models cannot be compared, and texts may
 * only be sent to the address with which the index was made.
 */
export async function embedderFor(
  deps: EmbeddingDeps,
  generation: Generation,
  { settings }: AgentProfile,
): Promise<Embedder | undefined> {
  return generation.dimensions === null ? undefined : deps.embedders.forGeneration(generation, settings);
}

/**
 * Returns why an agent's settings lead to no embedder, in a sentence with the remedy: a missing
 * key, a missing model file, a provider that does not answer. Returns undefined if the settings
 * lead to an embedder, or choose to have none.
 */
export async function embeddingProblem(deps: EmbeddingDeps, { settings }: AgentProfile): Promise<string | undefined> {
  try {
    await deps.embedders.forSettings(settings);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}

/**
 * Returns why an index has no vectors, in a sentence; undefined if the settings ask for none. The index may
 * have been made while the provider did not answer, or before the settings named one.
 */
export async function whyWithoutVectors(deps: EmbeddingDeps, profile: AgentProfile): Promise<string | undefined> {
  if (profile.settings.provider === "none") return undefined;
  const problem = await embeddingProblem(deps, profile);
  if (problem !== undefined) return problem;
  const embedder = await deps.embedders.forSettings(profile.settings).catch(unlessNoEmbedder);
  return embedder && "The index was made without embeddings, while none were available; it is being made anew.";
}

/**
 * The codes of errors that mean that an embedder is unavailable now: its key or files are missing,
 * or its provider is down or refuses.
 */
const NO_EMBEDDER: ReadonlySet<string> = new Set(["config_invalid", "embedder_unavailable", "embedder_rejected"]);

/** Tolerates an unavailable embedder. Any other error is a bug and is thrown. */
export function unlessNoEmbedder(error: unknown): undefined {
  if (error instanceof AppError && NO_EMBEDDER.has(error.code)) return undefined;
  throw error;
}

/**
 * Returns the generation's embedder for work that can go on without one. Waits no longer than a
 * search would. Other errors are logged: a bug must neither refuse a write nor look like a provider
 * that is down.
 */
export async function embedderIfAny(
  deps: EmbeddingDeps,
  generation: Generation,
  agent: AgentProfile,
): Promise<Embedder | undefined> {
  const bounded = { ...deps, embedders: embeddersWithDeadline(deps.embedders, deps.queryEmbedTimeoutMs) };
  return embedderFor(bounded, generation, agent)
    .catch(unlessNoEmbedder)
    .catch((error: unknown) => {
      const { agentId } = agent;
      deps.logger.error({ agentId, err: describeFault(error) }, "an embedder could not be made");
      return undefined;
    });
}

/**
 * Returns the input limit of the generation's model, to which chunks are cut. Where possible it
 * depends on the generation alone: while a provider is down, a file must be cut in the same way, or
 * its chunks would be paid for twice. Returns undefined if there is no model, or a local model that
 * cannot be loaded. The write then goes on, and a text that is too long is cut when it is embedded,
 * with a warning.
 */
export async function chunkLimit(
  deps: EmbeddingDeps,
  generation: Generation,
  agent: AgentProfile,
): Promise<InputLimit | undefined> {
  if (generation.dimensions === null) return undefined;
  const known = remoteInputLimit(generation);
  if (known) return known;
  const embedder = await embedderIfAny(deps, generation, agent);
  return embedder && inputLimitOf(embedder);
}

/** Returns the cache key of an embedder's vectors for a tenant. */
export function cacheKey(tenantId: string, embedder: Embedder): CacheKey {
  return { tenantId, provider: embedder.provider, model: embedder.model, providerKey: embedder.providerKey };
}

/**
 * Returns the cached vectors of texts, by hash; none for an agent whose settings disable the cache.
 *
 * @param ofAgent limits the result to vectors that this agent brought into the cache
 */
export async function readCachedVectors(
  deps: EmbeddingDeps,
  agent: AgentProfile,
  embedder: Embedder,
  hashes: readonly string[],
  ofAgent?: string,
): Promise<Map<string, Float32Array>> {
  if (!agent.settings.cache.enabled) return new Map();
  const wanted = new Set(hashes);
  const key = cacheKey(agent.tenantId, embedder);
  const read = (asked: readonly (readonly string[])[]) =>
    readEmbeddingCache(deps.db, key, [...new Set(asked.flat())], ofAgent);
  const all = await deps.coalesced.embeddings(JSON.stringify([key, ofAgent]), [...wanted], read);
  const found = new Map([...all].filter(([hash]) => wanted.has(hash)));
  deps.metrics.cacheLookups.inc({ cache: "embeddings", result: "hit" }, found.size);
  deps.metrics.cacheLookups.inc({ cache: "embeddings", result: "miss" }, wanted.size - found.size);
  return found;
}

/**
 * Caches vectors by hash for the tenant, in the transaction that stores them. Does nothing for an
 * agent whose settings disable the cache.
 */
export async function cacheVectors(
  deps: EmbeddingDeps,
  sql: SqlExecutor,
  agent: AgentProfile,
  embedder: Embedder,
  vectors: ReadonlyMap<string, Float32Array>,
): Promise<void> {
  const { enabled, maxEntries } = agent.settings.cache;
  if (!enabled || maxEntries === 0) return;
  const entries = [...vectors].map(([hash, embedding]) => ({ hash, embedding }));
  const origin = { agentId: agent.agentId, now: deps.clock() };
  await writeEmbeddingCache(sql, cacheKey(agent.tenantId, embedder), entries, origin);
}

/**
 * Returns the cached embeddings of chunks; none while the generation's embedder is unavailable. A
 * caller that is bound to one agent gets only the embeddings that this agent cached: otherwise the
 * number of pending embeddings would reveal which texts other agents have stored. The embedding job
 * uses the whole cache.
 *
 * @param caller the caller that sees how many embeddings are pending; undefined if no caller does
 */
export async function cachedEmbeddings(
  deps: EmbeddingDeps,
  agent: AgentProfile & AgentSpace,
  generation: Generation,
  hashes: readonly string[],
  caller?: Caller,
): Promise<Map<string, Float32Array>> {
  // A write goes on without the cache if the embedder is unavailable.
  const embedder = hashes.length > 0 ? await embedderIfAny(deps, generation, agent) : undefined;
  return embedder ? readCachedVectors(deps, agent, embedder, hashes, caller?.agentId) : new Map();
}

/**
 * Returns the embedders with a deadline, for a caller that waits. Creating an embedder may need a
 * provider's answer, such as the dimensions of a model, with all its timeouts and retries. The
 * deadline is `waitMs` from now, for all calls.
 *
 * @throws AppError `embedder_unavailable` from each call that misses the deadline; the creation
 *   goes on for later callers
 */
export function embeddersWithDeadline(embedders: Embedders, waitMs: number): Embedders {
  const deadline = performance.now() + waitMs;
  return {
    forSettings: (settings) => within(embedders.forSettings(settings), deadline, waitMs, settings),
    forGeneration: (generation, settings) =>
      within(embedders.forGeneration(generation, settings), deadline, waitMs, generation),
  };
}

async function within<T>(
  promise: Promise<T>,
  deadline: number,
  waitMs: number,
  asked: { provider: string },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const what = runsInProcess(asked) ? "Loading the embedding model" : "The embedding provider";
  const timedOut = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new AppError("embedder_unavailable", `${what} took longer than ${waitMs} ms.`));
    timer = setTimeout(giveUp, Math.max(1, deadline - performance.now()));
  });
  try {
    return await Promise.race([promise, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
