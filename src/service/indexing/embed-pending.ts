import { setTimeout } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import { createTaskPool, type TaskPool } from "../../base/task-pool.ts";
import {
  markRejected,
  type PendingChunk,
  pendingChunks,
  pendingHashes,
  storeEmbeddings,
} from "../../db/agent/chunks/vectors.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, type LiveGenerations, liveGenerations } from "../../db/agent/schema/generations.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import { createSemaphore, type Semaphore } from "../../embeddings/semaphore.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB, REINDEX_JOB } from "../../queue/job-contracts.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { embedderFor } from "../embedding/embedder-for.ts";
import { requestFallback, standsInFor } from "../embedding/fallback.ts";
import { textToEmbed } from "../embedding/made-vectors.ts";
import { type EmbeddedTexts, embedTexts } from "./embed-texts.ts";
import type { IndexDeps } from "./index-deps.ts";
import type { ChosenChunks } from "./index-hooks.ts";
import { requestTakeOver } from "./take-over.ts";

interface Batch {
  generation: Generation;
  embedder: Embedder;
  chunks: PendingChunk[];
}

/** The state of one job's work on one agent. */
interface Turn {
  deps: IndexDeps;
  agent: KnownAgent;
  signal: AbortSignal;
  /** The time at which the turn ends, by the clock of `performance`. */
  until: number;
  /** Whether the turn ends before everything is embedded. */
  over: boolean;
  /** Whether any vectors were stored. */
  stored: boolean;
  requests: number;
  inFlight: TaskPool;
  /**
   * Admits as many batches at once as the embedder serves at once. More would wait in the embedder
   * and make the turn longer.
   */
  requestSlots: Semaphore;
  /** Admits few stores at a time, because searches need connections too. */
  storeSlots: Semaphore;
  /**
   * The time until which the next request waits for more texts, by the clock of `performance`;
   * undefined: it waits for its full time.
   */
  gatherUntil: number | undefined;
  /** The last chunk that was read, by generation. */
  readTo: Map<number, string>;
  /** The number of batches in a row that went to the generation that comes first. */
  firstInARow: number;
  /**
   * The error of a provider that embeds nothing now, by the id of its generation. The other
   * generation goes on.
   */
  failures: Map<number, AppError>;
  /** The error of an index that has texts to embed, if this process's settings lead to no embedder of it. */
  withoutEmbedder: AppError | undefined;
  /**
   * Requests in flight, by embedder and hash, because the index being built shares texts with the
   * one in use. The promise resolves to undefined if the turn was over.
   */
  pendingTexts: Map<string, Promise<EmbeddedTexts | undefined>>;
}

/**
 * The longest time that one job works on one agent before it yields to others. It bounds the delay
 * that one agent's texts cause to a single file of another agent of the tenant. Beside an agent
 * that is written to all the time (bench/two-tenants.ts), the file waits for 1.3 s; with turns of 2
 * s it waited for 3.5 s. Another tenant's file waits only for the batch in flight.
 */
const TURN_MS = 800;

const STORES_AT_ONCE = 2;

/**
 * The most batches in a row of the generation that comes first, while the other generation has
 * texts too. Without the limit, if texts are written faster than the first provider embeds them,
 * the other generation would never be embedded, and an index being built would never take over.
 */
const FIRST_IN_A_ROW = 3;

/**
 * The time that a request with room left waits for more texts, counted from when its first text was
 * written; `LOOK_EVERY_MS` is the interval between looks. A job that has waited that long in the
 * queue waits no more, so a busy worker loses no time.
 */
const GATHER_MS = 500;
const LOOK_EVERY_MS = 100;

/**
 * Makes an agent's missing embeddings, batch by batch: reads pending chunks (a short transaction),
 * calls the provider (no transaction), stores the vectors and fills the cache (one transaction). As
 * many batches are in flight as the provider serves at once, plus one that is being read or stored.
 * A crash loses at most these batches; stored vectors are never requested again. The index in use
 * comes before the one being built, which gets at least every fourth batch. If the provider of one
 * index fails, the other index is embedded nevertheless, and then the job fails.
 *
 * A feature that embeds chunks in another way, such as by a provider's batches, plans that here. An
 * agent has one of these jobs at a time, so between its turns no text is on its way to the provider,
 * and none is paid for twice.
 *
 * @param signal aborted when the process stops: the rest goes back to the queue as a new job
 * @param job.waitedMs how long ago the first text was written, as far as the queue knows
 * @param job.plan whether features plan batches first
 * @param job.turnMs how long the job works before it yields
 */
export async function embedPending(
  deps: IndexDeps,
  caller: Caller,
  agentId: string,
  signal: AbortSignal,
  job: { waitedMs?: number; plan?: boolean | undefined; turnMs?: number } = {},
): Promise<void> {
  const { waitedMs = 0, plan = false, turnMs = TURN_MS } = job;
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const payload = { tenantId: agent.tenantId, agentId };
  const turn: Turn = {
    deps,
    agent,
    signal,
    until: performance.now() + turnMs,
    over: false,
    stored: false,
    requests: 0,
    inFlight: createTaskPool(),
    requestSlots: createSemaphore(1),
    storeSlots: createSemaphore(STORES_AT_ONCE),
    readTo: new Map(),
    pendingTexts: new Map(),
    gatherUntil: performance.now() + GATHER_MS - waitedMs,
    firstInARow: 0,
    failures: new Map(),
    withoutEmbedder: undefined,
  };
  const isTimeUp = () => signal.aborted || performance.now() > turn.until;
  const run = async () => (!plan || (await planBatches(deps, agent, isTimeUp)) ? takeTurn(turn) : "to be planned");
  const left = await run().finally(() => turn.inFlight.drain());
  const rest = left === "to be planned" ? { ...payload, plan: true } : payload;
  if (signal.aborted) return deps.queue.send(deps.db, EMBED_JOB, rest);
  const isFailed = turn.failures.size > 0 || turn.withoutEmbedder !== undefined;
  const isEnd = left !== undefined && left !== "to be planned" && !left.batched && !isFailed;
  // The remaining texts may be new ones that keep arriving. The index being built may take over
  // without them.
  if (!isEnd) await requestTakeOver(deps, agent);
  const [failed] = turn.failures.values();
  if (failed) await requestFallback(deps, agent);
  // The job must not end as done: a worker with the right settings has to find it.
  const failure = failed ?? turn.withoutEmbedder;
  // If the other generation made progress and has texts left, these must not wait for the retry of
  // the failed job.
  if (failure && (left !== undefined || !turn.stored)) throw failure;
  if (!left || left === "to be planned") return deps.queue.send(deps.db, EMBED_JOB, rest, "after others");
  // Chunks in a provider's batch are still missing. The end of the batch enqueues this job again.
  if (left.batched) return;
  // With every chunk embedded, the vector index may be due, or the new index may replace the active
  // one.
  await deps.queue.send(deps.db, MAINTAIN_INDEX_JOB, payload);
  if (left.building) await deps.queue.send(deps.db, REINDEX_JOB, payload);
}

/** Lets the features plan batches. @returns whether they came to an end */
async function planBatches(deps: IndexDeps, agent: KnownAgent, isOver: () => boolean): Promise<boolean> {
  for (const plan of deps.hooks.planBatches) if (!(await plan(deps, agent, isOver))) return false;
  return true;
}

/**
 * @returns what to wait for now that every chunk is embedded; undefined if the turn ended earlier
 */
async function takeTurn(turn: Turn): Promise<{ building: boolean; batched: boolean } | undefined> {
  for (;;) {
    const { batch, isLeft, ...left } = await nextBatch(turn);
    const atOnce = batch?.embedder.parallelCalls ?? 1;
    turn.requestSlots.limit = atOnce;
    await turn.inFlight.room(batch && !isLeft ? atOnce + 1 : 1);
    turn.over ||= isLeft;
    if (turn.over || turn.signal.aborted) return undefined;
    if (batch) turn.inFlight.start(() => embedBatch(turn, batch).catch(noteFailure(turn, batch.generation)));
    else if (turn.readTo.size === 0) return left;
    // Read once more from the beginning: chunks may have been written before the reading position.
    else turn.readTo.clear();
  }
}

/**
 * Returns a handler that records that a generation's provider does not embed now. Any other error
 * ends the turn.
 */
function noteFailure({ failures }: Turn, { id }: Generation): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof AppError) || !error.code.startsWith("embedder_")) throw error;
    failures.set(id, error);
    return undefined;
  };
}

/** Returns the generations in the order in which their texts are embedded now. */
function inOrder(turn: Turn, { active, building }: LiveGenerations): (Generation | undefined)[] {
  // The index in use comes first, unless the other one is replacing it because its provider fails.
  const isFallback = building !== undefined && standsInFor(building, turn.agent) !== undefined;
  const [first, second] = isFallback ? [building, active] : [active, building];
  return turn.firstInARow < FIRST_IN_A_ROW ? [first, second] : [second, first];
}

/** Reads the next batch. `isLeft` says that the batch is left to the next turn. */
async function nextBatch(
  turn: Turn,
): Promise<{ batch: Batch | undefined; isLeft: boolean; building: boolean; batched: boolean }> {
  const { deps, agent, signal, readTo, failures, gatherUntil = performance.now() + GATHER_MS } = turn;
  turn.gatherUntil = undefined;
  const live = await withAgentReads(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  const building = live.building !== undefined;
  let anyBatched = false;
  const order = inOrder(turn, live);
  for (const generation of order) {
    if (!generation || failures.has(generation.id)) continue;
    const embedder = await embedderFor(deps, generation, agent).catch(noteFailure(turn, generation));
    if (!embedder) {
      turn.withoutEmbedder ??= await withoutEmbedder(deps, agent, generation);
      continue;
    }
    const read = () => nextChunks(deps, agent, generation, embedder, readTo.get(generation.id) ?? "0");
    const until = runsInProcess(embedder) ? 0 : gatherUntil;
    // If this turn ends before the batch could be gathered, the next turn gathers it. Other agents
    // need not wait meanwhile.
    const isTooLate = turn.requests > 0 && until > turn.until;
    const { chunks, batched } = await gather(read, embedder.maxBatchTexts, isTooLate ? 0 : until, signal);
    anyBatched ||= batched;
    const last = chunks.at(-1);
    if (!last) continue;
    readTo.set(generation.id, last.id);
    turn.firstInARow = turn.firstInARow < FIRST_IN_A_ROW && generation === order[0] ? turn.firstInARow + 1 : 0;
    const isLeft = isTooLate && chunks.length < embedder.maxBatchTexts;
    return { batch: { generation, embedder, chunks }, isLeft, building, batched };
  }
  return { batch: undefined, isLeft: false, building, batched: anyBatched };
}

/** Returns the next chunks after `afterId` that single requests embed. */
async function nextChunks(
  deps: IndexDeps,
  agent: KnownAgent,
  generation: Generation,
  embedder: Embedder,
  afterId: string,
): Promise<ChosenChunks> {
  for (const choose of deps.hooks.chooseChunks) {
    const chosen = await choose(deps, agent, generation, embedder, afterId);
    if (chosen) return chosen;
  }
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
  const page = { afterId, limit: embedder.maxBatchTexts };
  const chunks = await withAgentTransaction(deps.db, agent, (tx) => pendingChunks(tx, table, page));
  return { chunks, batched: false };
}

/**
 * Returns the error of an index with texts that this process cannot embed; undefined if it has none.
 * `recollect sync` in a shell without the provider's variables takes the jobs of the service.
 */
async function withoutEmbedder(
  deps: IndexDeps,
  agent: KnownAgent,
  generation: Generation,
): Promise<AppError | undefined> {
  const { dimensions, provider, model } = generation;
  if (dimensions === null) return undefined;
  const table = vectorTable(agent.schema, generation, dimensions);
  const pending = await withAgentReads(deps.db, agent, (tx) => pendingHashes(tx, table, { afterId: "0", limit: 1 }));
  if (pending.length === 0) return undefined;
  return new AppError(
    "embedder_unavailable",
    `The settings of this process do not lead to ${provider} · ${model}, which the index of ${agent.agentId} needs. Give it the same RECOLLECT_PROVIDER, model, address and key as the service.`,
  );
}

/**
 * Reads a page again until it is full or the time is over. A provider answers 100 texts as fast as
 * one; a model in this process does not.
 */
async function gather<P extends { chunks: readonly PendingChunk[] }>(
  read: () => Promise<P>,
  limit: number,
  until: number,
  signal: AbortSignal,
): Promise<P> {
  for (let page = await read(); ; page = await read()) {
    const { length } = page.chunks;
    const leftMs = until - performance.now();
    if (length === 0 || length >= limit || leftMs <= 0 || signal.aborted) return page;
    await setTimeout(Math.min(LOOK_EVERY_MS, leftMs), undefined, { signal }).catch(() => undefined);
  }
}

/** Embeds and stores a batch. A text that another batch is embedding is not requested twice. */
async function embedBatch(turn: Turn, batch: Batch): Promise<void> {
  const texts = new Map(batch.chunks.map((chunk) => [chunk.hash, textToEmbed(chunk)]));
  const { provider, model, providerKey } = batch.embedder;
  const keyOf = (hash: string) => [provider, model, providerKey, hash].join(" ");
  const others = new Set([...texts.keys()].flatMap((hash) => turn.pendingTexts.get(keyOf(hash)) ?? []));
  const own = [...texts].filter(([hash]) => !turn.pendingTexts.has(keyOf(hash)));
  const asking = turn.requestSlots.run(async () =>
    (await isOver(turn)) ? undefined : embedTexts(turn.deps, turn.agent, batch.embedder, own, turn.signal),
  );
  for (const [hash] of own) turn.pendingTexts.set(keyOf(hash), asking);
  try {
    const answers = await Promise.all([asking, ...others]);
    const known = answers.flatMap((answer) => answer ?? []);
    if (known.length === answers.length) await turn.storeSlots.run(() => store(turn, batch, known));
  } finally {
    for (const [hash] of own) turn.pendingTexts.delete(keyOf(hash));
  }
}

/**
 * Returns whether the turn is over. The first request is made in any case, or no job would ever
 * progress.
 */
async function isOver(turn: Turn): Promise<boolean> {
  const { queue } = turn.deps;
  if (turn.requests > 0) turn.over ||= performance.now() > turn.until || (await queue.othersWait(EMBED_JOB));
  if (!turn.over) turn.requests++;
  return turn.over;
}

async function store(turn: Turn, batch: Batch, answers: readonly EmbeddedTexts[]): Promise<void> {
  const { deps, agent } = turn;
  const { generation, embedder, chunks } = batch;
  const [own] = answers;
  const table = vectorTable(agent.schema, generation, embedder.dimensions);
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const live = await liveGenerations(tx, agent.schema);
    // The generation may have been dropped or cancelled during the request; the cache keeps the
    // vectors.
    if (live.active?.id === generation.id || live.building?.id === generation.id) {
      const rows = chunks.flatMap(({ id, hash }) => {
        const embedding = answers.find(({ vectors }) => vectors.has(hash))?.vectors.get(hash);
        return embedding === undefined ? [] : [{ chunkId: id, embedding }];
      });
      await storeEmbeddings(tx, table, rows);
      for (const [hash, reason] of answers.flatMap(({ rejected }) => [...rejected])) {
        const ids = chunks.filter((chunk) => chunk.hash === hash).map((chunk) => chunk.id);
        await markRejected(tx, table, ids, reason);
      }
    }
    if (!own) return;
    const service = await tx.asService();
    // Usage is saved in the transaction of the vectors, so that it is counted exactly once,
    // whenever the process ends. The cost of a lost answer appears only in the provider's bill.
    await own.made.save(service);
  });
  turn.stored = true;
  if (own && own.rejected.size > 0)
    deps.logger.warn(
      { agentId: agent.agentId, provider: embedder.provider, chunks: own.rejected.size },
      "the provider refuses texts; they are found by keyword only",
    );
}
