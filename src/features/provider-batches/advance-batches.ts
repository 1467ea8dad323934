import { AppError, faultOf } from "../../base/errors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, type LiveGenerations, liveGenerations } from "../../db/agent/schema/generations.ts";
import type { RemoteBatch } from "../../embeddings/embed-batches.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { EMBED_JOB } from "../../queue/job-contracts.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { embedderFor, unlessNoEmbedder } from "../../service/embedding/embedder-for.ts";
import type { EmbeddingDeps } from "../../service/embedding/embedding-deps.ts";
import { textToEmbed } from "../../service/embedding/made-vectors.ts";
import { EMBED_BATCH_JOB, isPlanDue } from "./plan-batches.ts";
import { agentBatches, type BatchRow, batchItems, deleteBatch, deleteOldNotes, updateBatch } from "./sql/batches.ts";
import { pendingTexts } from "./sql/pending-chunks.ts";
import { endBatch, type OpenBatch, storeResults } from "./store-batch.ts";
import { withdrawBatch } from "./withdraw-batches.ts";

/**
 * The time after a batch's deadline until it is given up. OpenAI's batches are `cancelling` for up
 * to 10 minutes, and the work until then is charged.
 */
const GRACE_MS = 11 * 60_000;
/** The delay before a retry if a provider did not answer and named no time. */
const RETRY_MS = 5000;
/** The statuses for a wrong key, which may be corrected before the batch's deadline. */
const KEY_FAULTS = new Set([401, 402, 403]);

/**
 * The result of a step: the batch has ended, or the step is to be repeated, possibly after a delay.
 */
type Step = { ended: true } | { ended: false; afterMs?: number };

/**
 * Advances an agent's batches as far as possible now. A batch is recorded with its items and a
 * token before it is sent to the provider under that token. If the process dies in between, the
 * next job asks the provider for the token before it sends anything again. The job never waits: it
 * is enqueued again for the next poll.
 *
 * @param signal aborted when the process stops: the rest goes back to the queue as a new job
 */
export async function advanceBatches(
  deps: EmbeddingDeps,
  caller: Caller,
  agentId: string,
  signal: AbortSignal,
): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const payload = { tenantId: agent.tenantId, agentId };
  try {
    await deleteOldNotes(deps.db, agent.tenantId, agentId, deps.clock());
    const live = await withAgentTransaction(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
    const rows = await agentBatches(deps.db, agent.tenantId, agentId);
    const open = rows.filter((row) => row.status !== "direct");
    const steps: Step[] = [];
    for (const row of open) steps.push(await advance(deps, agent, live, row, signal));
    // Chunks of ended batches, and chunks that no batch took, are embedded by single requests.
    // These also run beside an open batch, which may take hours.
    const plan = await isPlanDue(deps, agent, live);
    if (plan) await deps.queue.send(deps.db, EMBED_JOB, { ...payload, plan });
    else if (steps.length === 0 || steps.some((step) => step.ended)) await deps.queue.send(deps.db, EMBED_JOB, payload);
    const left = steps.filter((step) => !step.ended);
    if (left.length === 0) return;
    const waits = left.map((step) => (step.ended ? 0 : (step.afterMs ?? 0)));
    const afterMs = Math.max(agent.settings.remote.batch.pollIntervalMs, Math.min(...waits));
    await deps.queue.send(deps.db, EMBED_BATCH_JOB, payload, { afterMs });
  } catch (error) {
    if (!signal.aborted) throw error;
    await deps.queue.send(deps.db, EMBED_BATCH_JOB, payload);
  }
}

async function advance(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  live: LiveGenerations,
  row: BatchRow,
  signal: AbortSignal,
): Promise<Step> {
  const generation = [live.active, live.building].find((one) => one?.id === row.generationId);
  const embedder = await embedderOfBatch(deps, agent, row, generation);
  const batches = embedder?.batches;
  if (!generation || !embedder || !batches) {
    // The batch's index was dropped, or the settings no longer lead to the provider with the key
    // that sent the batch. Another key cannot see the batch.
    if (batches) await withdrawBatch(batches, row, signal).catch(() => undefined);
    await deleteBatch(deps.db, row.id);
    return { ended: true };
  }
  const batch: OpenBatch = { agent, row, generation, embedder, batches };
  try {
    return row.remoteId === null ? await send(deps, batch, signal) : await poll(deps, batch, signal);
  } catch (error) {
    signal.throwIfAborted();
    return failed(deps, batch, error);
  }
}

/** Sends a batch, unless it was sent before. */
async function send(deps: EmbeddingDeps, batch: OpenBatch, signal: AbortSignal): Promise<Step> {
  const { agent, row, batches, generation, embedder } = batch;
  const isNew = row.status === "planned";
  signal.throwIfAborted();
  // If the status has changed, another worker that took this job for dead has sent the batch.
  if (isNew && !(await updateBatch(deps.db, row.id, { status: "submitting" }, "planned"))) return { ended: false };
  const found = isNew ? undefined : await batches.find(row.id, row.createdAt, signal);
  if (found) return sent(deps, batch, found, signal);
  if (deps.clock() >= row.expiresAt) return end(deps, batch, { completed: false, files: [] }, signal);
  const hashes = [...(await batchItems(deps.db, row.id)).keys()];
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
  const chunks = await withAgentTransaction(deps.db, agent, (tx) => pendingTexts(tx, table, hashes));
  if (chunks.length === 0) {
    await deleteBatch(deps.db, row.id);
    return { ended: true };
  }
  const texts = chunks.map((chunk) => ({ id: chunk.hash, text: textToEmbed(chunk) }));
  return sent(deps, batch, await batches.submit(row.id, texts, signal), signal);
}

async function sent(deps: EmbeddingDeps, batch: OpenBatch, remote: RemoteBatch, signal: AbortSignal): Promise<Step> {
  const known = { status: "running", remoteId: remote.id, inputFile: remote.inputFile ?? null } as const;
  if (await updateBatch(deps.db, batch.row.id, known)) return { ended: false };
  // The batch's row is gone: the agent was erased.
  await withdrawBatch(batch.batches, { ...batch.row, ...known }, signal);
  return { ended: true };
}

async function poll(deps: EmbeddingDeps, batch: OpenBatch, signal: AbortSignal): Promise<Step> {
  const { row, batches } = batch;
  const id = row.remoteId ?? "";
  let state = await batches.state(id, signal);
  // Only an unfinished batch is cancelled: providers refuse to cancel an ended one, whose work is
  // charged.
  if (!state.ended && row.status === "running" && deps.clock() >= row.expiresAt) {
    const refusal = await batches.cancel(id, signal).catch((error: unknown) => error);
    if (refusal === undefined) await updateBatch(deps.db, row.id, { status: "cancelling" });
    // The batch may have ended just before the cancellation. It then has results.
    state = await batches.state(id, signal);
    if (refusal !== undefined && !state.ended && !isOver(deps, row)) return { ended: false, afterMs: RETRY_MS };
  }
  if (!state.ended)
    return isOver(deps, row) ? end(deps, batch, { completed: false, files: [] }, signal) : { ended: false };
  await storeResults(deps, batch, state.files, signal);
  return end(deps, batch, state, signal);
}

/** Handles a provider that does not answer or refuses. */
async function failed(deps: EmbeddingDeps, batch: OpenBatch, error: unknown): Promise<Step> {
  if (!(error instanceof AppError) || !error.code.startsWith("embedder_")) throw error;
  const { row, agent } = batch;
  const status = Number(error.details?.status ?? 0);
  deps.logger.warn({ agentId: agent.agentId, provider: row.provider, ...faultOf(error) }, "a batch failed");
  // If the key is refused, a batch that may have reached the provider is kept until its deadline.
  // Giving it up could mean paying for its texts twice.
  const refused = error.code === "embedder_rejected" && (row.status === "planned" || !KEY_FAULTS.has(status));
  if (refused || isOver(deps, row)) {
    await endBatch(deps, agent, row, false);
    return { ended: true };
  }
  return { ended: false, afterMs: Math.max(RETRY_MS, Number(error.details?.retryAfterMs ?? 0)) };
}

async function end(
  deps: EmbeddingDeps,
  { agent, row, batches }: OpenBatch,
  outcome: { completed: boolean; files: readonly string[] },
  signal: AbortSignal,
): Promise<Step> {
  await endBatch(deps, agent, row, outcome.completed);
  await batches.discard([...(row.inputFile === null ? [] : [row.inputFile]), ...outcome.files], signal);
  return { ended: true };
}

function isOver(deps: EmbeddingDeps, row: BatchRow): boolean {
  return deps.clock().getTime() >= row.expiresAt.getTime() + GRACE_MS;
}

/**
 * Returns the embedder that can access a batch: one with the key that sent it. If the batch's index
 * is gone, an embedder of another model can cancel the batch as well.
 */
async function embedderOfBatch(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  row: BatchRow,
  generation: Generation | undefined,
): Promise<Embedder | undefined> {
  const embedder = generation
    ? await embedderFor(deps, generation, agent)
    : await deps.embedders.forSettings(agent.settings).catch(unlessNoEmbedder);
  return embedder?.provider === row.provider && embedder.providerKey === row.providerKey ? embedder : undefined;
}
