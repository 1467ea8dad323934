import { DAY_MS } from "../../base/clock.ts";
import { createYielder } from "../../base/cooperative-yield.ts";
import { describeFault } from "../../base/describe-fault.ts";
import { AppError } from "../../base/errors.ts";
import { measureVectorScan, noteVectorScan } from "../../db/agent/candidates/vector-scan.ts";
import { countChunks, countPending, newestTexts } from "../../db/agent/chunks/chunks.ts";
import { buildVectorIndex } from "../../db/agent/chunks/vector-index.ts";
import { measureCosines, noteCosines } from "../../db/agent/chunks/vectors.ts";
import { isCounted, MAX_LIVE_CHUNKS } from "../../db/agent/keyword/keyword-terms.ts";
import { refreshLexemeStats } from "../../db/agent/keyword/lexeme-stats.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { analyseTables, isIndexable, vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, indexesAlike, liveGenerations, markVectorIndex } from "../../db/agent/schema/generations.ts";
import { packSegments } from "../../db/agent/segments/segments.ts";
import { trimEmbeddingCache } from "../../db/control/embedding-cache.ts";
import { sumUsageOf } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import { BUILD_INDEX_JOB, MAINTAIN_INDEX_JOB, REINDEX_JOB } from "../../queue/job-contracts.ts";
import { languageOf } from "../../relevance/words/text-language.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import { requestReindex } from "../agent/request-index-jobs.ts";
import type { Caller } from "../core/core-deps.ts";
import { type KnownAgent, requireGeneration } from "../core/known-agent.ts";
import { targetGeneration } from "../embedding/embedder-for.ts";
import type { IndexDeps } from "./index-deps.ts";
import { fitSeparation } from "./measure-separation.ts";
import { isNearlyEmbedded } from "./take-over.ts";

/**
 * The change in the number of chunks, as a share, above which statistics are counted again.
 * Statistics that are a day old are counted again in any case.
 */
const STALE_SHARE = 0.1;

/** Adapts an agent's index to its size, and trims the agent's part of the embedding cache. */
export async function maintainIndex(deps: IndexDeps, caller: Caller, agentId: string): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const generation = await withAgentTransaction(deps.db, agent, (tx) => requireGeneration(tx, agent));
  await fitIndex(deps, agent, generation);
  // Only the index in use is measured. An index that is being built has mostly the same texts, and
  // the provider would be paid for them twice.
  await fitSeparation(deps, agent);
  await followTexts(deps, agent, generation);
  await fitCache(deps, agent);
}

/** The most entries that one statement deletes, so that no statement holds its locks for long. */
const TRIM_BATCH = 1000;

/** Deletes the agent's oldest cache entries above its limit. */
async function fitCache(deps: IndexDeps, agent: KnownAgent): Promise<void> {
  const { enabled, maxEntries } = agent.settings.cache;
  const most = enabled ? maxEntries : 0;
  while ((await trimEmbeddingCache(deps.db, agent, most, TRIM_BATCH)) === TRIM_BATCH);
}

/**
 * Updates a generation's term statistics. When the generation has `vectorIndexThreshold` chunks and
 * nearly all are embedded, enqueues the build of the HNSW index: building after filling is ten
 * times cheaper. Also enqueues that job when the HNSW index is to be measured, because a
 * measurement reads all vectors a hundred times.
 *
 * @returns false if the HNSW index is still to be built
 */
export async function fitIndex(deps: IndexDeps, agent: KnownAgent, generation: Generation): Promise<boolean> {
  const counts = await countsOf(deps, agent, generation);
  const counted = generation.statsChunkCount ?? 0;
  const stale = Math.abs(counts.chunks - counted) > counted * STALE_SHARE;
  const count = async () => {
    const counting = { schema: agent.schema, generation, now: deps.clock() };
    await withAgentTransaction(deps.db, agent, (tx) => refreshLexemeStats(tx, counting));
    await analyseTables(deps.db, agent.schema, generation);
  };
  // Counting is cheaper after packing. But without counts each search reads the whole index, so the
  // first count comes before packing.
  const isFirst = !isCounted(generation.statsChunkCount);
  if (stale && isFirst) await count();
  if (counts.chunks > MAX_LIVE_CHUNKS) await packIndex(deps, agent, generation.id, counts.chunks);
  if (stale && !isFirst) await count();
  const embedded = counts.chunks - counts.pendingEmbeddings;
  await fitCosines(deps, agent, generation, embedded);
  const isDue = isIndexDue(deps, generation, counts);
  if (isDue || isScanDue(generation, embedded))
    await deps.queue.send(deps.db, BUILD_INDEX_JOB, { tenantId: agent.tenantId, agentId: agent.agentId });
  // If an index loses as many chunks as it gains, its size never changes. Without a daily count,
  // its new words would count as the rarest for ever.
  const countedMs = generation.statsAt?.getTime() ?? 0;
  if (!stale && !isFirst && deps.clock().getTime() - countedMs >= DAY_MS) await count();
  return !isDue;
}

/**
 * Measures the cosines again if the number of embedded chunks has changed enough, or if a part of
 * the measurement is missing.
 */
async function fitCosines(deps: IndexDeps, agent: KnownAgent, generation: Generation, embedded: number): Promise<void> {
  const { id: generationId, dimensions, cosineCount, cosineDeviation, hasCentre } = generation;
  const known = cosineCount ?? 0;
  // If all embedded chunks are past facts, a measurement has neither a deviation nor a centre. It
  // still counts as a measurement.
  const isMeasured = hasCentre || embedded === 0 || (cosineCount !== null && cosineDeviation === null);
  if (dimensions === null || (isMeasured && Math.abs(embedded - known) <= known * STALE_SHARE)) return;
  const table = vectorTable(agent.schema, generation, dimensions);
  const measured = await withAgentReads(deps.db, agent, (tx) => measureCosines(tx, table));
  await withAgentTransaction(deps.db, agent, (tx) => noteCosines(tx, agent.schema, generationId, measured));
}

/**
 * Returns whether an HNSW index is to be measured: it never was, or its number of vectors has
 * doubled or halved since.
 */
function isScanDue({ vectorIndex, vectorScanCount }: Generation, count: number): boolean {
  const known = vectorScanCount ?? 0;
  return vectorIndex && count > 0 && (known === 0 || count >= 2 * known || 2 * count <= known);
}

/**
 * Measures how wide the scans of the HNSW index must be. Without a measurement, scans have a
 * default width.
 */
async function fitVectorScan(deps: IndexDeps, agent: KnownAgent, generation: Generation, count: number): Promise<void> {
  const { dimensions } = generation;
  if (dimensions === null || !isScanDue(generation, count)) return;
  const table = vectorTable(agent.schema, generation, dimensions);
  try {
    const width = await measureVectorScan((fn, setup) => withAgentReads(deps.db, agent, fn, setup), table);
    await withAgentTransaction(deps.db, agent, (tx) => noteVectorScan(tx, table, { width, count }));
  } catch (error) {
    // Work that waits for the index, such as the switch of a reindex, need not wait for this. The
    // next maintenance requests the measurement again.
    deps.logger.warn({ err: describeFault(error), agentId: agent.agentId }, "the vector index could not be measured");
  }
}

/** The delay before packing is tried again: about the time that a vacuum of a large table takes. */
const LOCKED_MS = 10_000;

/**
 * The rests while packing, as a multiple of the work. Packing is background work that takes a
 * processor for a second at a time. Without rests, writes during packing took twice as long, and
 * made up the slowest twentieth of all writes. With rests twice as long as the work, it still packs
 * 3,000 chunks a second.
 */
const RESTS = 2;

/** Packs new chunks into segments of the keyword arm. */
async function packIndex(deps: IndexDeps, agent: KnownAgent, generationId: number, total: number): Promise<void> {
  const index = { schema: agent.schema, generationId };
  const runs = {
    transaction: <T>(fn: (sql: SqlExecutor) => Promise<T>) => withAgentTransaction(deps.db, agent, fn),
    read: <T>(fn: (sql: SqlExecutor) => Promise<T>) => withAgentReads(deps.db, agent, fn),
  };
  try {
    await packSegments({ ...runs, breathe: createYielder(RESTS) }, index, total);
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error;
    // A long write or a vacuum is in progress. Unpacked chunks are searched too, but slower, and
    // after an import there may be no further write to trigger packing: 1,600 such chunks cost each
    // search 8 ms more of Postgres time.
    const { tenantId, agentId } = agent;
    await deps.queue.send(deps.db, MAINTAIN_INDEX_JOB, { tenantId, agentId }, { afterMs: LOCKED_MS });
  }
}

/**
 * The growth in `LOOK_AGAIN_MS`, as a share, above which an import is under way. At this rate the
 * agent would double within three hours.
 */
const IMPORTED_SHARE = 0.001;
const LOOK_AGAIN_MS = 10_000;

/**
 * Builds the HNSW indexes that are due, and measures them: for the generation in use, and for one
 * that is being built, which may then take over. While an agent is being filled, no index is built,
 * because later vectors would have to be inserted one at a time. Beside an import of a million
 * chunks, an index that was begun at the first 10,000 was still not ready at 600,000, and slowed
 * the import to a third.
 *
 * @param lookedAt the number of chunks ten seconds ago; 0: this is the first look
 */
export async function buildIndex(deps: IndexDeps, caller: Caller, agentId: string, lookedAt = 0): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const live = await withAgentTransaction(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  for (const generation of [live.active, live.building]) {
    if (!generation) continue;
    const counts = await countsOf(deps, agent, generation);
    const { dimensions } = generation;
    let { vectorIndex } = generation;
    if (dimensions !== null && isIndexDue(deps, generation, counts)) {
      const { chunks } = counts;
      if (generation === live.active && chunks > lookedAt * (1 + IMPORTED_SHARE)) {
        const payload = { tenantId: agent.tenantId, agentId, chunks };
        await deps.queue.send(deps.db, BUILD_INDEX_JOB, payload, { afterMs: LOOK_AGAIN_MS });
        continue;
      }
      const table = vectorTable(agent.schema, generation, dimensions);
      await buildVectorIndex(deps.db, table, chunks);
      await withAgentTransaction(deps.db, agent, (tx) => markVectorIndex(tx, agent.schema, generation.id));
      vectorIndex = true;
    }
    await fitVectorScan(deps, agent, { ...generation, vectorIndex }, counts.chunks - counts.pendingEmbeddings);
    if (generation === live.building)
      await deps.queue.send(deps.db, REINDEX_JOB, { tenantId: agent.tenantId, agentId });
  }
}

/**
 * The share of chunks that may lack their embedding when the HNSW index is built. An agent that is
 * written to all the time always has some. These are later inserted into the index one at a time,
 * which is slower.
 */
const PENDING_SHARE = 0.01;

interface Counts {
  chunks: number;
  pendingEmbeddings: number;
  /**
   * Whether enough chunks have an embedding to build an HNSW index, or for the generation to take
   * over.
   */
  isNearlyEmbedded: boolean;
}

async function countsOf(deps: IndexDeps, agent: KnownAgent, generation: Generation): Promise<Counts> {
  const { pendingEmbeddings, built, isNear } = await withAgentReads(deps.db, agent, async (tx) => {
    const live = await liveGenerations(tx, agent.schema);
    const { pendingEmbeddings } = await countPending(tx, agent.schema, generation);
    const built = live.active?.id === generation.id ? undefined : await countChunks(tx, agent.schema, generation.id);
    const isNear = live.building?.id === generation.id && (await isNearlyEmbedded(tx, agent, live));
    return { pendingEmbeddings, built, isNear };
  });
  // Counting a million chunks takes a second, and this runs after every write.
  const chunks = built ?? (await sumUsageOf(deps.db, agent.tenantId, agent.agentId)).chunks;
  return { chunks, pendingEmbeddings, isNearlyEmbedded: isNear || pendingEmbeddings <= chunks * PENDING_SHARE };
}

function isIndexDue(deps: IndexDeps, generation: Generation, counts: Counts): boolean {
  const { dimensions, vectorIndex } = generation;
  if (dimensions === null || !isIndexable(dimensions) || vectorIndex) return false;
  return counts.isNearlyEmbedded && counts.chunks >= deps.vectorIndexThreshold;
}

/** The number of newest chunks that are examined, which takes some milliseconds. */
const LOOKED_AT = 20;

/**
 * Requests a rebuild of an index that was made before indexes followed the language of their texts,
 * if half of the newest chunks are in another language. Most such indexes have the right language
 * by chance, so rebuilding a whole fleet would be wasted. An index whose embeddings would have to
 * be paid for again is left to its operator.
 */
async function followTexts(deps: IndexDeps, agent: KnownAgent, generation: Generation): Promise<void> {
  if (generation.followsText || agent.settings.query.language !== "auto" || !isFree(agent, generation)) return;
  const wanted = await targetGeneration(deps, agent).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  // An index of another model would not be free.
  if (!wanted || !indexesAlike({ ...generation, followsText: true }, wanted)) return;
  const texts = await withAgentReads(deps.db, agent, (tx) => newestTexts(tx, agent.schema, generation.id, LOOKED_AT));
  const others = texts.filter((text) => languageOf(text, [generation.language]) !== generation.language);
  if (others.length > 0 && 2 * others.length >= texts.length) await requestReindex(deps, agent, wanted);
}

/**
 * Returns whether a rebuild needs no new embeddings, because the cache has room for all of them or
 * there are none.
 */
function isFree({ settings: { cache } }: KnownAgent, { dimensions, statsChunkCount }: Generation): boolean {
  return dimensions === null || (cache.enabled && (statsChunkCount ?? 0) <= cache.maxEntries);
}
