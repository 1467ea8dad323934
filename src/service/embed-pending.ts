import { setImmediate } from "node:timers/promises";
import { withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { type PendingChunk, pendingChunks, storeEmbeddings, toVectorText } from "../db/agent/vectors.ts";
import { readEmbeddingCache, writeEmbeddingCache } from "../db/control/embedding-cache.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../queue/job-contracts.ts";
import { cacheKey } from "./cache-key.ts";
import type { Caller, Deps } from "./deps.ts";
import { embedderFor, findKnownAgent, type KnownAgent, requireGeneration } from "./find-agent.ts";

/**
 * Makes the embeddings an agent lacks, batch by batch, until none is missing: read pending chunks (a short transaction),
 * ask the provider (nothing held), store the vectors and fill the cache (one transaction). A crash at any point loses at
 * most the batch in flight, and what is stored is never asked for again.
 *
 * @param signal aborted when the process stops: the rest goes back to the queue as a new job.
 */
export async function embedPending(deps: Deps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  for (;;) {
    if (signal.aborted) return handBack(deps, agent);
    const next = await nextBatch(deps, agent);
    if (!next) return maintain(deps, agent);
    const vectors = await embedMissing(deps, caller, next.embedder, next.chunks, signal);
    if (!vectors) return handBack(deps, agent);
    await store(deps, caller, agent, next.embedder, next.chunks, vectors);
    await setImmediate();
  }
}

/** With every chunk embedded, the vector index may be due. */
async function maintain(deps: Deps, agent: KnownAgent): Promise<void> {
  await deps.queue.send(deps.db, MAINTAIN_INDEX_JOB, { tenantId: agent.tenantId, agentId: agent.agentId });
}

async function handBack(deps: Deps, agent: KnownAgent): Promise<void> {
  await deps.queue.send(deps.db, EMBED_JOB, { tenantId: agent.tenantId, agentId: agent.agentId });
}

async function nextBatch(
  deps: Deps,
  agent: KnownAgent,
): Promise<{ embedder: Embedder; chunks: PendingChunk[] } | undefined> {
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const generation = await requireGeneration(tx, agent);
    const embedder = embedderFor(deps, generation);
    if (!embedder) return undefined;
    const table = { schema: agent.schema, generationId: generation.id, dimensions: embedder.dimensions };
    const chunks = await pendingChunks(tx, table, embedder.maxBatchTexts);
    return chunks.length > 0 ? { embedder, chunks } : undefined;
  });
}

/** The vectors of these chunks by hash, from the cache or the provider; undefined when the process stops meanwhile. */
async function embedMissing(
  deps: Deps,
  caller: Caller,
  embedder: Embedder,
  chunks: readonly PendingChunk[],
  signal: AbortSignal,
) {
  const texts = new Map(
    chunks.map((chunk) => [chunk.hash, chunk.heading === "" ? chunk.text : `${chunk.heading}\n${chunk.text}`]),
  );
  const vectors = await readEmbeddingCache(deps.db, cacheKey(caller, embedder), [...texts.keys()]);
  const missing = [...texts].filter(([hash]) => !vectors.has(hash));
  if (missing.length === 0) return vectors;
  try {
    const made = await embedder.embed(
      missing.map(([, text]) => text),
      "document",
      signal,
    );
    for (const [index, [hash]] of missing.entries()) vectors.set(hash, toVectorText(made[index] ?? []));
    return vectors;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

async function store(
  deps: Deps,
  caller: Caller,
  agent: KnownAgent,
  embedder: Embedder,
  chunks: readonly PendingChunk[],
  vectors: ReadonlyMap<string, string>,
): Promise<void> {
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const generation = await requireGeneration(tx, agent);
    // The settings may have changed while the provider was asked; vectors of the old model must not enter the new index.
    if (embedderFor(deps, generation) !== embedder) return;
    const table = { schema: agent.schema, generationId: generation.id, dimensions: embedder.dimensions };
    const rows = chunks.map((chunk) => ({ chunkId: chunk.id, embedding: vectors.get(chunk.hash) ?? "" }));
    await storeEmbeddings(tx, table, rows);
    const entries = [...vectors].map(([hash, embedding]) => ({ hash, embedding }));
    await writeEmbeddingCache(await tx.asService(), cacheKey(caller, embedder), entries, {
      agentId: agent.agentId,
      now: deps.clock(),
    });
  });
}
