import { AppError } from "../../base/errors.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { cachedEmbeddings, embedderIfAny } from "../embedding/embedder-for.ts";
import { createMadeVectors } from "../embedding/made-vectors.ts";
import type { FileDeps } from "../files/file-deps.ts";

/** The vectors of facts that are about to be stored in a generation. */
export interface FactVectors {
  generation: Generation;
  /** By hash. Missing vectors are left to the embedding job. */
  vectors: ReadonlyMap<string, Float32Array>;
  /** Caches and counts what the provider made for them, in the transaction that stores them. */
  save(service: SqlExecutor): Promise<void>;
}

/**
 * The vectors of new facts, from the cache or from the provider if it answers before a search's deadline. With a vector a
 * fact is found by its meaning at once, and a restatement of another fact is detected. Hold no transaction while calling
 * this.
 */
export async function embedFacts(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  generation: Generation,
  texts: ReadonlyMap<string, string>,
): Promise<FactVectors> {
  const known = await cachedEmbeddings(deps, agent, generation, [...texts.keys()], caller);
  const missing = [...texts].filter(([hash]) => !known.has(hash));
  const embedder = missing.length > 0 ? await embedderIfAny(deps, generation, agent) : undefined;
  const cached = { generation, vectors: known, save: async () => undefined };
  if (!embedder) return cached;
  const made = createMadeVectors(deps, agent, embedder);
  try {
    await made.embed(missing, "document", AbortSignal.timeout(deps.queryEmbedTimeoutMs));
  } catch (error) {
    // The provider is down, slow, or refuses a text. The embedding job handles each case.
    const code = error instanceof AppError ? error.code : "embedder_unavailable";
    deps.logger.warn({ code, agentId: agent.agentId }, "facts could not be embedded at once; the job does it");
    return cached;
  }
  return { generation, vectors: new Map([...known, ...made.vectors]), save: made.save };
}
