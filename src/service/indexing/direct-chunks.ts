import { countPendingAfter, pendingAfter, pendingChunksOf } from "../../db/agent/chunks/pending-chunks.ts";
import { type PendingChunk, pendingChunks } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { type VectorTable, vectorTable } from "../../db/agent/schema/generation-tables.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import { agentBatches, hashesInBatches } from "../../db/control/embedding-batches.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { EMBED_BATCH_JOB } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { cacheKey } from "../embedding/embedder-for.ts";
import type { IndexDeps } from "./index-deps.ts";
import { batchesOf, MIN_BATCH_CHUNKS } from "./plan-batches.ts";

/**
 * The delay before batches are planned. It collects the writes of a sync, so that the first batch
 * has more than the sync's first hundred files.
 */
const COLLECT_MS = 10_000;
const PAGE = 1000;

/**
 * Returns the next chunks of a generation to embed by single requests. Chunks in a provider's
 * batch, and chunks that wait for the next batch, are left out. A few chunks that were written
 * since the last plan are embedded at once; if there are many, the job that makes batches is
 * enqueued.
 *
 * @param afterId the last chunk of the caller's previous page in this round; a round begins with
 *   "0"
 * @returns also whether the generation waits for batches
 */
export async function directChunks(
  deps: IndexDeps,
  agent: KnownAgent,
  generation: Generation,
  embedder: Embedder,
  afterId: string,
): Promise<{ chunks: PendingChunk[]; batched: boolean }> {
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
  const rows = embedder.batches ? await agentBatches(deps.db, agent.tenantId, agent.agentId) : [];
  const { open, allowed } = batchesOf(deps, agent, generation, rows);
  // Open batches of the other generation count too: they may hold texts that both generations have.
  const anyOpen = rows.some((row) => row.status !== "direct");
  const plannedTo = String(Math.max(0, ...open.map((row) => row.plannedTo)));
  if (!embedder.batches || (!anyOpen && !allowed)) {
    const page = { afterId, limit: embedder.maxBatchTexts };
    const chunks = await withAgentTransaction(deps.db, agent, (tx) => pendingChunks(tx, table, page));
    return { chunks, batched: false };
  }
  const many =
    allowed &&
    (await withAgentTransaction(deps.db, agent, (tx) => countPendingAfter(tx, table, plannedTo, MIN_BATCH_CHUNKS))) ===
      MIN_BATCH_CHUNKS;
  // The job is enqueued while batches are open too: the job that polls them may have been
  // cancelled.
  if (many || anyOpen) {
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    await deps.queue.send(deps.db, EMBED_BATCH_JOB, payload, { afterMs: COLLECT_MS, unlessOneWaits: true });
  }
  if (many) return { chunks: [], batched: true };
  const from = BigInt(afterId) > BigInt(plannedTo) ? afterId : plannedTo;
  const newer = await outsideBatches(deps, agent, table, embedder, from);
  if (newer.length > 0 || open.length === 0) return { chunks: newer, batched: anyOpen };
  // Chunks that an ended batch did not embed are embedded now, unless the next batch will have
  // them.
  const waits = allowed && open.some((row) => row.backlog);
  return { chunks: waits ? [] : await outsideBatches(deps, agent, table, embedder, afterId), batched: true };
}

/** Returns the first chunks after a given one whose text is in no batch. */
async function outsideBatches(
  deps: IndexDeps,
  agent: KnownAgent,
  table: VectorTable,
  embedder: Embedder,
  from: string,
): Promise<PendingChunk[]> {
  const key = { ...cacheKey(agent.tenantId, embedder), agentId: agent.agentId };
  for (let afterId = from; ; ) {
    const page = await withAgentTransaction(deps.db, agent, (tx) => pendingAfter(tx, table, { afterId, limit: PAGE }));
    const taken = await hashesInBatches(
      deps.db,
      key,
      page.map((chunk) => chunk.hash),
    );
    const free = page.filter((chunk) => !taken.has(chunk.hash)).slice(0, embedder.maxBatchTexts);
    if (free.length > 0) {
      const ids = free.map((chunk) => chunk.id);
      return withAgentTransaction(deps.db, agent, (tx) => pendingChunksOf(tx, table, ids));
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return [];
    afterId = last.id;
  }
}
