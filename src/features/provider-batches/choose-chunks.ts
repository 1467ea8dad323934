import type { PendingChunk } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { type VectorTable, vectorTable } from "../../db/agent/schema/generation-tables.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { cacheKey } from "../../service/embedding/embedder-for.ts";
import type { EmbeddingDeps } from "../../service/embedding/embedding-deps.ts";
import type { ChosenChunks } from "../../service/indexing/index-hooks.ts";
import { batchesOf, EMBED_BATCH_JOB, MIN_BATCH_CHUNKS } from "./plan-batches.ts";
import { agentBatches, hashesInBatches } from "./sql/batches.ts";
import { countPendingAfter, pendingAfter, pendingChunksOf } from "./sql/pending-chunks.ts";

/**
 * The delay before batches are planned. It collects the writes of a sync, so that the first batch
 * has more than the sync's first hundred files.
 */
const COLLECT_MS = 10_000;
const PAGE = 1000;

/**
 * Chooses the chunks of a generation that single requests embed next. Chunks in a provider's batch,
 * and chunks that wait for the next batch, are left out. A few chunks that were written since the
 * last plan are embedded at once; if there are many, the job that makes batches is enqueued.
 *
 * @param afterId the last chunk of the caller's previous page in this round; a round begins with
 *   "0"
 * @returns undefined if the generation neither has batches nor may have any
 */
export async function chooseChunks(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  generation: Generation,
  embedder: Embedder,
  afterId: string,
): Promise<ChosenChunks | undefined> {
  if (!embedder.batches) return undefined;
  const rows = await agentBatches(deps.db, agent.tenantId, agent.agentId);
  const { open, allowed } = batchesOf(deps, agent, generation, rows);
  // Open batches of the other generation count too: they may hold texts that both generations have.
  const anyOpen = rows.some((row) => row.status !== "direct");
  if (!anyOpen && !allowed) return undefined;
  const plannedTo = String(Math.max(0, ...open.map((row) => row.plannedTo)));
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
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
  deps: EmbeddingDeps,
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
