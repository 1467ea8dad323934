import { randomUUID } from "node:crypto";
import { MINUTE_MS } from "../../base/clock.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";
import { storeEmbeddings } from "../../db/agent/chunks/vectors.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { type VectorTable, vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, type LiveGenerations, liveGenerations } from "../../db/agent/schema/generations.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { type AgentPayload, type JobContract, OF_AGENT } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { cacheKey, embedderFor, readCachedVectors, unlessNoEmbedder } from "../../service/embedding/embedder-for.ts";
import type { EmbeddingDeps } from "../../service/embedding/embedding-deps.ts";
import { agentBatches, type BatchRow, hashesInBatches, insertBatch, lockBatches, notePlan } from "./sql/batches.ts";
import { countPendingAfter, lastPending, pendingAfter } from "./sql/pending-chunks.ts";

/**
 * Takes an agent's provider batches one step further: sends planned batches, asks for their
 * progress, stores their results. While a batch is under way, each job leaves another one, due at
 * the next poll.
 */
export const EMBED_BATCH_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "embed-batch",
};

/**
 * The fewest chunks of a batch. Single requests embed this number in a second or two; a batch takes
 * minutes to hours and saves a tenth of a cent.
 */
export const MIN_BATCH_CHUNKS = 200;
/**
 * The most texts of a batch; `MAX_BYTES` is the most bytes. At the default chunk size, 5,000 texts
 * have two million tokens; OpenAI's lowest paid tier queues three million. The limits also bound
 * memory, and the cost of a batch that times out.
 */
const MAX_TEXTS = 5000;
const MAX_BYTES = 10_000_000;
const PAGE = 1000;
/** The time for which a generation is embedded without batches after one failed. */
export const DIRECT_MS = 3_600_000;

type Items = Map<string, number>;

/** Returns the open batches of a generation, and whether it may have more. */
export function batchesOf(
  deps: Pick<EmbeddingDeps, "clock">,
  agent: KnownAgent,
  generation: Generation,
  rows: readonly BatchRow[],
): { open: BatchRow[]; allowed: boolean } {
  const own = rows.filter((row) => row.generationId === generation.id);
  const now = deps.clock();
  const failed = own.some((row) => row.status === "direct" && row.expiresAt > now);
  return {
    open: own.filter((row) => row.status !== "direct"),
    allowed: agent.settings.remote.batch.enabled && !failed,
  };
}

/** A generation with enough waiting chunks to plan batches. */
interface Due {
  generation: Generation;
  embedder: Embedder;
  /** The number of further batches that the generation may have. */
  slots: number;
}

/** Returns whether many chunks wait that no plan has considered. */
export async function isPlanDue(deps: EmbeddingDeps, agent: KnownAgent, live: LiveGenerations): Promise<boolean> {
  for (const generation of [live.active, live.building]) if (await dueOf(deps, agent, generation)) return true;
  return false;
}

/**
 * Plans batches for generations with many waiting chunks while there are slots left, and enqueues
 * the job that sends them. Call it only while no request for the agent's texts is in flight.
 *
 * @param isOver whether to stop early; asked after each page once some work has been done, which is
 *   kept
 * @returns whether the planning came to an end
 */
export async function planDueBatches(deps: EmbeddingDeps, agent: KnownAgent, isOver: () => boolean): Promise<boolean> {
  const live = await withAgentReads(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  for (const generation of [live.active, live.building]) {
    const due = await dueOf(deps, agent, generation);
    const { planned, ended } = due ? await planBatches(deps, agent, due, isOver) : { planned: 0, ended: true };
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    if (planned > 0) await deps.queue.send(deps.db, EMBED_BATCH_JOB, payload);
    if (!ended) return false;
  }
  return true;
}

async function dueOf(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  generation: Generation | undefined,
): Promise<Due | undefined> {
  // The turn of `embed` that follows reports an unavailable embedder, after it has embedded the
  // other generation's texts.
  const embedder = generation && (await embedderFor(deps, generation, agent).catch(unlessNoEmbedder));
  if (!generation || !embedder?.batches) return undefined;
  const rows = await agentBatches(deps.db, agent.tenantId, agent.agentId);
  const { open, allowed } = batchesOf(deps, agent, generation, rows);
  if (!allowed) return undefined;
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
  const slots = agent.settings.remote.batch.concurrency - rows.filter((row) => row.status !== "direct").length;
  // With neither an open batch nor a slot, a plan cannot be recorded, and the same chunks would be
  // considered at every poll.
  if (slots <= 0 && open.length === 0) return undefined;
  // With a backlog, all waiting chunks count, else only the chunks since the last plan.
  const backlog = slots > 0 && open.some((row) => row.backlog);
  const after = String(backlog ? 0 : Math.max(0, ...open.map((row) => row.plannedTo)));
  const many = await withAgentReads(deps.db, agent, (tx) => countPendingAfter(tx, table, after, MIN_BATCH_CHUNKS));
  return many < MIN_BATCH_CHUNKS ? undefined : { generation, embedder, slots: Math.max(0, slots) };
}

/**
 * Plans as many batches of a generation's chunks as there are slots, and records them. From then on
 * no other request sends their texts. Chunks whose embedding is cached get it on the way.
 *
 * @param isOver see `planDueBatches`
 */
export async function planBatches(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  { generation, embedder, slots }: Due,
  isOver: () => boolean,
): Promise<{ planned: number; ended: boolean }> {
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
  const plannedTo = await withAgentReads(deps.db, agent, (tx) => lastPending(tx, table));
  const { batches, rest, ended } = await collect(deps, agent, { table, embedder, slots }, isOver);
  const { provider, model, providerKey } = embedder;
  const createdAt = deps.clock();
  const base = {
    tenantId: agent.tenantId,
    agentId: agent.agentId,
    generationId: generation.id,
    provider,
    model,
    providerKey,
    remoteId: null,
    inputFile: null,
    plannedTo,
    backlog: rest === "more",
    createdAt,
  };
  const expiresAt = new Date(createdAt.getTime() + agent.settings.remote.batch.timeoutMinutes * MINUTE_MS);
  let planned = 0;
  for (const items of batches) {
    const row: BatchRow = { ...base, id: randomUUID(), status: "planned", texts: items.size, expiresAt };
    if (await note(deps, agent, row, items)) planned++;
  }
  await notePlan(deps.db, base, { plannedTo, backlog: rest === "more" });
  // There are many chunks with few distinct texts. Without this row they would be considered for a
  // batch again and again.
  if (rest === "repeated") {
    const row: BatchRow = {
      ...base,
      id: randomUUID(),
      status: "direct",
      texts: 0,
      expiresAt: new Date(createdAt.getTime() + DIRECT_MS),
    };
    await note(deps, agent, row, new Map());
  }
  return { planned, ended };
}

/**
 * Fills batches, oldest chunk first. `rest` says whether more chunks are left, or too few distinct
 * texts for any batch.
 */
async function collect(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  { table, embedder, slots }: { table: VectorTable; embedder: Embedder; slots: number },
  isOver: () => boolean,
): Promise<{ batches: Items[]; rest: "more" | "repeated" | "none"; ended: boolean }> {
  const { batches, add, end } = fillBatches(slots, embedder.maxInputTokens);
  let chunks = 0;
  let fromCache = 0;
  for (let afterId = "0"; ; ) {
    const page = await withAgentTransaction(deps.db, agent, (tx) => pendingAfter(tx, table, { afterId, limit: PAGE }));
    const { missing, found } = await missingOf(deps, agent, table, embedder, page);
    chunks += missing.length;
    fromCache += found;
    if (!missing.every(add)) return { batches, rest: "more", ended: true };
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    // Stop early only after some progress, or the next turn would get no further.
    if (isOver() && (batches.length > 0 || fromCache > 0)) return { batches, rest: "more", ended: false };
    afterId = last.id;
    await yieldToLoop();
  }
  end();
  return { batches, rest: batches.length === 0 && chunks >= MIN_BATCH_CHUNKS ? "repeated" : "none", ended: true };
}

/**
 * Collects each text once. `add` returns false if no batch is left for a text; `end` makes a batch
 * of the remaining texts if they are enough.
 */
function fillBatches(slots: number, maxInputTokens: number) {
  const batches: Items[] = [];
  const seen = new Set<string>();
  let [items, size]: [Items, number] = [new Map(), 0];
  return {
    batches,
    add: ({ hash, bytes }: { hash: string; bytes: number }) => {
      if (seen.has(hash)) return true;
      if (batches.length === slots) return false;
      seen.add(hash);
      items.set(hash, Math.min(Math.ceil(bytes / 4), maxInputTokens));
      size += bytes;
      if (items.size === MAX_TEXTS || size >= MAX_BYTES) {
        batches.push(items);
        [items, size] = [new Map(), 0];
      }
      return true;
    },
    end: () => {
      if (items.size >= MIN_BATCH_CHUNKS && batches.length < slots) batches.push(items);
    },
  };
}

/**
 * Returns the chunks whose text is neither in a batch nor in the cache. Cached chunks get their
 * embedding; `found` is their number.
 */
async function missingOf(
  deps: EmbeddingDeps,
  agent: KnownAgent,
  table: VectorTable,
  embedder: Embedder,
  page: readonly { id: string; hash: string; bytes: number }[],
) {
  const key = { ...cacheKey(agent.tenantId, embedder), agentId: agent.agentId };
  const hashes = page.map((chunk) => chunk.hash);
  const taken = await hashesInBatches(deps.db, key, hashes);
  const cached = await readCachedVectors(deps, agent, embedder, hashes);
  const found = page.flatMap(({ id, hash }) => {
    const embedding = cached.get(hash);
    return embedding === undefined ? [] : [{ chunkId: id, embedding }];
  });
  if (found.length > 0)
    await withAgentTransaction(deps.db, agent, async (tx) => {
      await storeEmbeddings(tx, table, found);
      // The change of role raises the change counter, because cached answers lack these chunks.
      await tx.asService();
    });
  return { missing: page.filter(({ hash }) => !taken.has(hash) && !cached.has(hash)), found: found.length };
}

/**
 * @returns false if the generation is gone, or another process has planned the same texts meanwhile
 */
function note(deps: EmbeddingDeps, agent: KnownAgent, row: BatchRow, items: Items): Promise<boolean> {
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const { active, building } = await liveGenerations(tx, agent.schema);
    if (active?.id !== row.generationId && building?.id !== row.generationId) return false;
    const service = await tx.asService();
    await lockBatches(service, row.tenantId, row.agentId);
    if ((await hashesInBatches(service, row, [...items.keys()])).size > 0) return false;
    const entries = [...items].map(([hash, tokens]) => ({ hash, tokens }));
    await insertBatch(service, row, entries);
    return true;
  });
}
