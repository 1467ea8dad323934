import { yieldToLoop } from "../../base/yield-to-loop.ts";
import { storeEmbeddings } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, liveGenerations } from "../../db/agent/schema/generations.ts";
import { addEmbeddingUsage } from "../../db/control/embedding-usage.ts";
import type { EmbedBatches } from "../../embeddings/embed-batches.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { cacheVectors } from "../../service/embedding/embedder-for.ts";
import type { EmbeddingDeps } from "../../service/embedding/embedding-deps.ts";
import { usageOf } from "../../service/embedding/embedding-usage.ts";
import { DIRECT_MS } from "./plan-batches.ts";
import { type BatchRow, batchItems, deleteBatch, dropItems, takeItems, updateBatch } from "./sql/batches.ts";
import { pendingOfHashes } from "./sql/pending-chunks.ts";

/** An open batch with everything that its processing needs. */
export interface OpenBatch {
  agent: KnownAgent;
  row: BatchRow;
  generation: Generation;
  embedder: Embedder;
  batches: EmbedBatches;
}

interface Result {
  hash: string;
  embedding: Float32Array;
  tokens: number;
}

const PAGE = 100;
/**
 * The share of a batch's texts that may fail. With more failures, the generation has no batches for
 * a while.
 */
const MAX_FAILED_SHARE = 0.1;

/**
 * Stores the results of a batch page by page. One transaction per page stores the vectors, the
 * cache entries and the usage, and removes the page's items from the batch. So nothing is paid for
 * twice after a crash, and the next job continues with the rest. Items without a usable result
 * remain.
 *
 * @param signal aborted when the process stops; the function then throws its reason
 */
export async function storeResults(
  deps: EmbeddingDeps,
  batch: OpenBatch,
  files: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const owed = await batchItems(deps.db, batch.row.id);
  let page: Result[] = [];
  const flush = async () => {
    if (page.length > 0) await storePage(deps, batch, page);
    page = [];
    signal.throwIfAborted();
    await yieldToLoop();
  };
  for (const file of owed.size === 0 ? [] : files) {
    for await (const { id: hash, vector, tokens } of batch.batches.results(file, signal)) {
      const estimated = owed.get(hash);
      if (vector === undefined || estimated === undefined) continue;
      owed.delete(hash);
      page.push({ hash, embedding: vector, tokens: tokens ?? estimated });
      if (page.length === PAGE) await flush();
    }
  }
  await flush();
}

function storePage(deps: EmbeddingDeps, { agent, row, generation, embedder }: OpenBatch, page: readonly Result[]) {
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
  const vectors = new Map(page.map(({ hash, embedding }) => [hash, embedding]));
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const live = await liveGenerations(tx, agent.schema);
    if (live.active?.id === generation.id || live.building?.id === generation.id) {
      const chunks = await pendingOfHashes(tx, table, [...vectors.keys()]);
      const rows = chunks.flatMap(({ id, hash }) => {
        const embedding = vectors.get(hash);
        return embedding === undefined ? [] : [{ chunkId: id, embedding }];
      });
      await storeEmbeddings(tx, table, rows);
    }
    const service = await tx.asService();
    await cacheVectors(deps, service, agent, embedder, vectors);
    const taken = await takeItems(service, row.id, [...vectors.keys()]);
    const counted = page.filter(({ hash }) => taken.has(hash));
    const tokens = counted.reduce((sum, result) => sum + result.tokens, 0);
    const asked = { kind: "document", batch: true, requests: counted.length, texts: counted.length, tokens } as const;
    if (counted.length > 0) await addEmbeddingUsage(service, [usageOf(deps, agent, embedder, asked)]);
  });
}

/**
 * Ends a batch. Its remaining items are embedded by single requests. If they are many, the
 * generation has no batches for a while.
 *
 * @param completed whether the provider completed the batch
 */
export async function endBatch(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  row: BatchRow,
  completed: boolean,
): Promise<void> {
  const failed = (await batchItems(deps.db, row.id)).size;
  if (completed && failed <= row.texts * MAX_FAILED_SHARE) await deleteBatch(deps.db, row.id);
  else {
    await dropItems(deps.db, row.id);
    const expiresAt = new Date(deps.clock().getTime() + DIRECT_MS);
    await updateBatch(deps.db, row.id, { status: "direct", expiresAt });
  }
  const outcome = { agentId: agent.agentId, provider: row.provider, texts: row.texts, failed };
  if (failed > 0) deps.logger.warn(outcome, "a provider's batch did not embed every text");
  else deps.logger.info(outcome, "a provider's batch is embedded");
}
