import { AppError } from "../base/errors.ts";
import { withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { type Generation, liveGenerations } from "../db/agent/generations.ts";
import { markRejected, type PendingChunk, storeEmbeddings } from "../db/agent/vectors.ts";
import { addEmbeddingUsage } from "../db/control/embedding-usage.ts";
import type { Embedder, EmbedReport } from "../embeddings/embedder.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB, REINDEX_JOB } from "../queue/job-contracts.ts";
import type { Caller, Deps } from "./deps.ts";
import { directChunks, textToEmbed } from "./direct-chunks.ts";
import { cachedFor, embedderOf, rememberFor } from "./embedder-of.ts";
import { type Asked, usageOf } from "./embedding-usage.ts";
import { findKnownAgent, type KnownAgent } from "./find-agent.ts";

interface Batch {
  generation: Generation;
  embedder: Embedder;
  chunks: PendingChunk[];
}

/** Vectors by the hash of their text, the hashes of texts that the provider refuses, and what it was asked for that. */
interface Embedded {
  vectors: Map<string, Float32Array>;
  rejected: Map<string, string>;
  asked: Asked;
  report: EmbedReport;
}

/**
 * How long one job works on one agent before it goes to the back of the queue: what one agent's large sync may delay a single
 * file of another agent of the tenant by. Another tenant's waits for the batch under way.
 */
const TURN_MS = 2000;

/** What a provider answers to a text that it will never embed: too long, malformed, against its rules. */
const TEXT_FAULTS = new Set([400, 413, 422]);

/**
 * Makes the embeddings an agent lacks, batch by batch, until none is missing: read pending chunks (a short transaction),
 * ask the provider (nothing held), store the vectors and fill the cache (one transaction). A crash at any point loses at
 * most the batch in flight, and what is stored is never asked for again. The index in use comes before the one being built.
 *
 * @param signal aborted when the process stops: the rest goes back to the queue as a new job.
 */
export async function embedPending(deps: Deps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const payload = { tenantId: agent.tenantId, agentId };
  const until = performance.now() + TURN_MS;
  for (;;) {
    if (signal.aborted) return deps.queue.send(deps.db, EMBED_JOB, payload);
    if (performance.now() > until) return deps.queue.send(deps.db, EMBED_JOB, payload, "after others");
    const { batch, building, batched } = await nextBatch(deps, agent);
    if (!batch) {
      // What a provider's batch has is still missing; whoever ends the batch asks for this job again.
      if (batched) return;
      // With every chunk embedded, the vector index may be due, or the index that was built may take its place.
      await deps.queue.send(deps.db, MAINTAIN_INDEX_JOB, payload);
      if (building) await deps.queue.send(deps.db, REINDEX_JOB, payload);
      return;
    }
    const embedded = await embedMissing(deps, agent, batch, signal);
    if (!embedded) return deps.queue.send(deps.db, EMBED_JOB, payload);
    await store(deps, agent, batch, embedded);
    if (await deps.queue.othersWait(EMBED_JOB)) return deps.queue.send(deps.db, EMBED_JOB, payload, "after others");
  }
}

async function nextBatch(
  deps: Deps,
  agent: KnownAgent,
): Promise<{ batch: Batch | undefined; building: boolean; batched: boolean }> {
  const live = await withAgentTransaction(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  const building = live.building !== undefined;
  let anyBatched = false;
  for (const generation of [live.active, live.building]) {
    const embedder = generation && (await embedderOf(deps, generation, agent));
    if (!generation || !embedder) continue;
    const { chunks, batched } = await directChunks(deps, agent, generation, embedder);
    anyBatched ||= batched;
    if (chunks.length > 0) return { batch: { generation, embedder, chunks }, building, batched };
  }
  return { batch: undefined, building, batched: anyBatched };
}

/** The vectors of a batch, from the cache or the provider; undefined when the process stops meanwhile. */
async function embedMissing(
  deps: Deps,
  agent: KnownAgent,
  { embedder, chunks }: Batch,
  signal: AbortSignal,
): Promise<Embedded | undefined> {
  const texts = new Map(chunks.map((chunk) => [chunk.hash, textToEmbed(chunk)]));
  const vectors = await cachedFor(deps, agent, embedder, [...texts.keys()]);
  const asked: Asked = { requests: 0, texts: 0, tokens: 0 };
  const report: EmbedReport = ({ tokens }) => {
    asked.requests++;
    asked.tokens += tokens;
  };
  const embedded: Embedded = { vectors, rejected: new Map(), asked, report };
  const missing = [...texts].filter(([hash]) => !vectors.has(hash));
  try {
    await embedOrBisect(embedder, missing, embedded, signal);
    if (missing.length > 0 && embedded.rejected.size === missing.length)
      await checkProvider(embedder, embedded, signal);
    asked.texts = missing.length - embedded.rejected.size;
    return embedded;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Embeds texts; when the provider refuses them, halves them until the text that it refuses stands alone. So one bad text
 * costs a few requests more and not the embeddings of its neighbours.
 */
async function embedOrBisect(
  embedder: Embedder,
  texts: readonly (readonly [hash: string, text: string])[],
  embedded: Embedded,
  signal: AbortSignal,
): Promise<void> {
  if (texts.length === 0) return;
  try {
    const asked = texts.map(([, text]) => text);
    const made = await embedder.embed(asked, "document", signal, embedded.report);
    for (const [index, [hash]] of texts.entries()) {
      const vector = made[index];
      if (vector) embedded.vectors.set(hash, vector);
    }
  } catch (error) {
    if (!isTextFault(error)) throw error;
    const [[hash] = [""]] = texts;
    if (texts.length === 1) embedded.rejected.set(hash, `refused with status ${error.details?.status}`);
    else {
      const middle = Math.ceil(texts.length / 2);
      await embedOrBisect(embedder, texts.slice(0, middle), embedded, signal);
      await embedOrBisect(embedder, texts.slice(middle), embedded, signal);
    }
  }
}

/**
 * When a provider took none of the texts, asks it for one that every model takes: a wrong key or model that it answers with
 * the status of a bad text must not mark all chunks as refused for good.
 *
 * @throws AppError `embedder_unavailable`
 */
async function checkProvider(embedder: Embedder, { report }: Embedded, signal: AbortSignal): Promise<void> {
  try {
    await embedder.embed(["memory"], "document", signal, report);
  } catch (cause) {
    if (!isTextFault(cause)) throw cause;
    throw new AppError("embedder_unavailable", "The embedding provider refuses every text; check key and model.", {
      cause,
    });
  }
}

function isTextFault(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    error.code === "embedder_rejected" &&
    error.details?.fault === "text" &&
    TEXT_FAULTS.has(Number(error.details?.status))
  );
}

async function store(
  deps: Deps,
  agent: KnownAgent,
  batch: Batch,
  { vectors, rejected, asked }: Embedded,
): Promise<void> {
  const { generation, embedder, chunks } = batch;
  const table = { schema: agent.schema, generationId: generation.id, dimensions: embedder.dimensions };
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const live = await liveGenerations(tx, agent.schema);
    // The generation may have been dropped or cancelled while the provider was asked; the cache keeps the vectors.
    if (live.active?.id === generation.id || live.building?.id === generation.id) {
      const rows = chunks.flatMap(({ id, hash }) => {
        const embedding = vectors.get(hash);
        return embedding === undefined ? [] : [{ chunkId: id, embedding }];
      });
      await storeEmbeddings(tx, table, rows);
      for (const [hash, reason] of rejected) {
        const ids = chunks.filter((chunk) => chunk.hash === hash).map((chunk) => chunk.id);
        await markRejected(tx, table, ids, reason);
      }
    }
    const service = await tx.asService();
    await rememberFor(deps, service, agent, embedder, vectors);
    // With the vectors: what is stored is counted, once, whatever ends this process when. What an answer that never got
    // here cost is in the provider's bill only.
    if (asked.requests > 0)
      await addEmbeddingUsage(service, [usageOf(deps, agent, embedder, { kind: "document", ...asked })]);
  });
  if (rejected.size > 0)
    deps.logger.warn(
      { agentId: agent.agentId, provider: embedder.provider, chunks: rejected.size },
      "the provider refuses texts; they are found by keyword only",
    );
}
