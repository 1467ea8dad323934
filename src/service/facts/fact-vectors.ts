import { AppError } from "../../base/errors.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { cachedEmbeddings, embedderIfAny } from "../embedding/embedder-for.ts";
import { createMadeVectors } from "../embedding/made-vectors.ts";
import type { FileDeps } from "../files/file-deps.ts";

/** The vectors of facts that are about to be stored in a generation. */
export interface FactVectors {
  generation: Generation;
  /** The vectors by the hash of their text. The embedding job makes the missing ones. */
  vectors: ReadonlyMap<string, Float32Array>;
  /**
   * Caches the vectors that the provider made, and counts the provider's usage, in the transaction
   * that stores the facts.
   */
  save(service: SqlExecutor): Promise<void>;
}

/**
 * Returns the vectors of new facts, from the cache, or from the provider if it answers before a
 * search's deadline. A fact with a vector is found by its meaning at once, and is recognised when
 * it restates another fact. Hold no transaction while calling this.
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
    // The provider is down or slow, or refuses a text. The embedding job handles each of these
    // cases.
    const code = error instanceof AppError ? error.code : "embedder_unavailable";
    deps.logger.warn({ code, agentId: agent.agentId }, "facts could not be embedded at once; a job embeds them");
    return cached;
  }
  return { generation, vectors: new Map([...known, ...made.vectors]), save: made.save };
}
