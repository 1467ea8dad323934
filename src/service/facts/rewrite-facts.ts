import { AppError } from "../../base/errors.ts";
import { dropFactChunks } from "../../db/agent/facts/fact-upkeep.ts";
import { type AgentTransaction, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { type Generation, liveGenerations, textLanguages } from "../../db/agent/schema/generations.ts";
import type { IndexedFact } from "../../ingest/fact-text.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { cachedEmbeddings } from "../embedding/embedder-for.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { PreparedChunk } from "../files/prepared-file.ts";
import { replaceChunks } from "../files/store-chunks.ts";

/**
 * The chunks of facts that are restored or come from another agent, by generation, in the order of
 * the facts.
 */
export type FactIndex = ReadonlyMap<
  number,
  { chunks: readonly PreparedChunk[]; cached: ReadonlyMap<string, Float32Array> }
>;

/**
 * Signals that prepared data is out of date, because the memory was written to or a new index began
 * meanwhile. The data must be prepared again.
 */
export class MemoryMoved extends Error {}

const MAX_ATTEMPTS = 10;

/**
 * Repeats preparing and writing while the memory changes between the two.
 *
 * @throws AppError `database_busy` when it changes on every attempt
 */
export async function untilUnmoved<T>(prepareAndWrite: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await prepareAndWrite();
    } catch (error) {
      if (!(error instanceof MemoryMoved)) throw error;
      if (attempt === MAX_ATTEMPTS)
        throw new AppError(
          "database_busy",
          "Other writes kept changing the agent's memory meanwhile. Try again in a moment.",
        );
    }
  }
}

/**
 * Cuts facts into chunks for each live generation, and reads their cached vectors. Both happen
 * outside the transaction that stores them.
 */
export async function prepareFactIndex(
  deps: FileDeps,
  agent: KnownAgent,
  facts: readonly IndexedFact[],
): Promise<FactIndex> {
  const prepared = new Map<number, { chunks: PreparedChunk[]; cached: ReadonlyMap<string, Float32Array> }>();
  if (facts.length === 0) return prepared;
  const { active, building } = await withAgentReads(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  for (const generation of [active, building]) {
    if (!generation) continue;
    const languages = textLanguages(generation);
    const chunks = await deps.preparer.prepareFacts(agent.tenantId, { facts, languages });
    const hashes = chunks.map((chunk) => chunk.hash);
    prepared.set(generation.id, { chunks, cached: await cachedEmbeddings(deps, agent, generation, hashes) });
  }
  return prepared;
}

/**
 * Replaces the chunks of facts under their ids. `ids` must be in the order in which the facts were
 * prepared.
 *
 * @returns the number of chunks that wait for an embedding
 * @throws MemoryMoved when a generation has begun since the preparation
 */
export async function storeFactIndex(
  tx: AgentTransaction,
  live: readonly Generation[],
  index: FactIndex,
  ids: readonly string[],
): Promise<number> {
  let pending = 0;
  for (const generation of ids.length > 0 ? live : []) {
    const prepared = index.get(generation.id);
    if (!prepared) throw new MemoryMoved();
    await dropFactChunks(tx, tx.schema, generation.id, ids);
    const next = ids.map((factId, at) => ({
      owner: { factId },
      old: [],
      next: prepared.chunks.slice(at, at + 1),
    }));
    pending += (await replaceChunks(tx, generation, next, prepared.cached)).pending.size;
  }
  return pending;
}
