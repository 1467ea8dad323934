import { setTimeout } from "node:timers/promises";
import { describeFault } from "../../base/describe-fault.ts";
import { AppError } from "../../base/errors.ts";
import { createTaskPool } from "../../base/task-pool.ts";
import { type AgentSpace, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { activeModel, type GenerationModel } from "../../db/agent/schema/generation-model.ts";
import { activeGeneration } from "../../db/agent/schema/generations.ts";
import { roleName, schemaName } from "../../db/agent/schema/schema-name.ts";
import { lookUpAgent } from "../../db/control/agents.ts";
import { type RecentAgent, recentAgents } from "../../db/control/recent-agents.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import { resolveSettings } from "../../settings/settings.ts";
import { type AgentProfile, profileOf } from "../core/agent-profile.ts";
import { embedderFor } from "./embedder-for.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";

const warmed = new WeakSet<Embedder>();

/**
 * Prepares this process for an agent's questions: creates its embedder, and loads the model if it
 * runs in this process, which takes seconds. Otherwise the first question of a conversation would
 * wait for it. Each model is loaded once. A failure is only logged: the search meets it too, and
 * reports it.
 */
export async function warmEmbedder(deps: EmbeddingDeps, agent: AgentProfile & AgentSpace): Promise<void> {
  const { agentId, settings } = agent;
  try {
    const usual = await deps.embedders.forSettings(settings);
    if (!usual || !runsInProcess(usual)) return;
    // The index may have been made with a former default model.
    const generation = await withAgentReads(deps.db, agent, (tx) => activeGeneration(tx, agent.schema));
    const embedder = generation && (await embedderFor(deps, generation, agent));
    if (embedder) await load(embedder);
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    deps.logger.debug({ agentId, code }, "an embedder could not be prepared");
  }
}

/**
 * Loads the model of agents without settings of their own if it runs in this process.
 *
 * @throws AppError `embedder_unavailable`
 */
export async function loadUsualModel(deps: Pick<EmbeddingDeps, "embedders" | "defaults">): Promise<void> {
  const embedder = await deps.embedders.forSettings(resolveSettings(deps.defaults.layers).settings);
  if (embedder && runsInProcess(embedder)) await load(embedder);
}

async function load(embedder: Embedder): Promise<void> {
  if (warmed.has(embedder)) return;
  warmed.add(embedder);
  // The next conversation tries a failed model again.
  await embedder.embed(["hello"], "query").catch((error: unknown) => {
    warmed.delete(embedder);
    throw error;
  });
}

/**
 * The most agents whose index is examined: the ones searched last. Each takes a statement of a
 * millisecond.
 */
const MOST_AGENTS = 200;
const AGENTS_AT_ONCE = 4;
/**
 * The most models that are loaded. Each takes some 100 MB of memory. Further models are loaded by
 * the first search that needs them.
 */
const MOST_MODELS = 4;
/** The longest time that the start waits. A model that takes longer goes on loading. */
const MOST_WAIT_MS = 60_000;

/**
 * Loads the models that existing indexes were built with and that run in this process, before the
 * process takes requests. After an upgrade that changes the default model, the first searches would
 * otherwise wait for the former model, or answer by keyword. A failure is only logged.
 */
export async function loadModelsInUse(deps: EmbeddingDeps): Promise<void> {
  const stop = new AbortController();
  const loading = loadAll(deps, stop.signal).catch((error: unknown) =>
    deps.logger.warn({ err: describeFault(error) }, "the models of existing indexes could not be loaded"),
  );
  const late = setTimeout(MOST_WAIT_MS, "late", { signal: stop.signal, ref: false }).catch(() => undefined);
  if ((await Promise.race([loading, late])) === "late")
    deps.logger.warn(
      { waitedMs: MOST_WAIT_MS },
      "models are still being loaded; searches that need them are by keyword",
    );
  stop.abort();
}

async function loadAll(deps: EmbeddingDeps, signal: AbortSignal): Promise<void> {
  const models = new Map<string, { model: GenerationModel; of: RecentAgent }>();
  const pool = createTaskPool();
  for (const of of await recentAgents(deps.db, MOST_AGENTS)) {
    await pool.room(AGENTS_AT_ONCE);
    if (models.size >= MOST_MODELS || signal.aborted) break;
    pool.start(async () => {
      const model = await modelOf(deps, of);
      const key = model && `${model.provider}/${model.model}`;
      if (key && !models.has(key) && models.size < MOST_MODELS) models.set(key, { model, of });
    });
  }
  await pool.drain();
  for (const { model, of } of models.values()) await loadModel(deps, model, of);
}

/** Returns the model of an agent's index if it runs in this process. */
async function modelOf(deps: EmbeddingDeps, of: RecentAgent): Promise<GenerationModel | undefined> {
  const space = { schema: schemaName(of.schemaName), role: roleName(of.roleName) };
  const model = await withAgentReads(deps.db, space, (tx) => activeModel(tx, space.schema)).catch((error: unknown) => {
    // An agent that cannot be read, such as one that is being erased, must not stop the loading for
    // others.
    deps.logger.debug({ agentId: of.agentId, err: describeFault(error) }, "an index could not be inspected");
    return undefined;
  });
  return model && runsInProcess(model) ? { ...model, endpoint: "" } : undefined;
}

async function loadModel(deps: EmbeddingDeps, model: GenerationModel, of: RecentAgent): Promise<void> {
  const lookup = await lookUpAgent(deps.db, of.tenantId, of.agentId);
  if (!lookup) return;
  const { settings } = profileOf(deps, lookup, of.agentId);
  try {
    const embedder = await deps.embedders.forGeneration(model, settings);
    if (embedder) await load(embedder);
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    deps.logger.warn({ agentId: of.agentId, model: model.model, code }, "the model of an index could not be loaded");
  }
}
