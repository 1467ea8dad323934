import { LRUCache } from "lru-cache";
import { createYielder, nextTurn } from "../../../base/cooperative-yield.ts";
import type { SqlExecutor } from "../../database.ts";
import { isFiltered, passing, type SearchFilter } from "../chunks/search-filter.ts";
import { fullGain, type KeywordHit, mergeHits } from "../keyword/bm25.ts";
import type { CountedTerms, ResolvedTerms } from "../keyword/keyword-terms.ts";
import { affordable } from "../keyword/term-budget.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import type { PostingList } from "./add-concepts.ts";
import {
  type ListedSegments,
  type LoadedSegment,
  listSegments,
  loadSegments,
  type SegmentCache,
} from "./load-segments.ts";
import { collectSegment, planSegments, settledChunk, storeSegment } from "./pack-segments.ts";
import {
  type BestChunks,
  numberOf,
  type ScoredChunk,
  scoreChunks,
  scoreSegment,
  type WeighedTerm,
} from "./score-postings.ts";

export type { SegmentCache } from "./load-segments.ts";

interface Index {
  schema: SchemaName;
  generationId: number;
}

type Run = <T>(fn: (sql: SqlExecutor) => Promise<T>) => Promise<T>;

export interface SegmentSearch extends Index {
  limit: number;
  sources?: readonly number[];
  filter?: SearchFilter | undefined;
  cache: SegmentCache;
  /**
   * Whether the caller checks that hits exist. Hits of segments without known deletions may then be
   * deleted chunks.
   */
  unchecked?: boolean;
}

/**
 * The bytes of an array besides its numbers: its key and its place in the cache, measured with
 * lists of one posting.
 */
const ENTRY_BYTES = 350;
/** The bytes of an entry for a segment that lacks a lexeme: only key and place. */
const EMPTY_BYTES = 90;

/**
 * The time to live of cache entries. It removes an erased agent's words from every process's
 * memory, whether the agent is queried again or not.
 */
const TTL_MS = 3_600_000;

/**
 * Creates a cache of segments.
 *
 * @param maxBytes three quarters are for posting lists, 4 bytes for each pair of a chunk and a
 * lexeme that it has; the rest is for the chunks, 17 bytes each, which every search reads
 */
export function createSegmentCache(maxBytes: number): SegmentCache {
  return {
    chunks: new LRUCache({
      ttl: TTL_MS,
      maxSize: Math.ceil(maxBytes / 4),
      sizeCalculation: ({ offsets }) => ENTRY_BYTES + 17 * offsets.length,
    }),
    postings: new LRUCache({
      ttl: TTL_MS,
      maxSize: Math.ceil((3 * maxBytes) / 4),
      sizeCalculation: (lists) => sizeOf([...lists.values()]),
    }),
    withDeletions: new WeakSet(),
  };
}

function sizeOf(lists: readonly PostingList[]): number {
  return lists.reduce(
    (sum, list) => sum + (list.length > 0 ? ENTRY_BYTES + list.byteLength : EMPTY_BYTES),
    ENTRY_BYTES,
  );
}

/**
 * The most attempts to load segments. A segment is replaced as an index grows: sometimes once
 * between listing and reading the segments, hardly ever twice.
 */
const MAX_TRIES = 3;
/** How many extra chunks are picked, because some may turn out to be deleted. */
const MARGIN = 16;
/**
 * The most chunks that are checked against the filter. If too few of them pass, the search must
 * begin with the filter.
 */
const MAX_LOOKED_AT = 5000;

/** Counted terms with the segments that they were searched in. */
export interface SearchedTerms extends CountedTerms {
  segments?: readonly LoadedSegment[];
}

export interface SegmentAnswer {
  /** The terms from `resolve`. */
  resolved: ResolvedTerms;
  /**
   * undefined when there are no counted terms or no segments, or when too few of the best chunks
   * pass the filter.
   */
  found?: { hits: KeywordHit[]; counted: SearchedTerms } | undefined;
}

/**
 * Returns the best chunks by exact BM25, scored in memory from posting lists. It reads from
 * Postgres the posting lists that the process has not cached. It also checks whether the best
 * chunks exist and pass the filter, unless the caller does that (`unchecked`).
 *
 * @param resolve asks for the terms; its statement is sent together with the first one here
 * @param newer scores the chunks that are newer than the segments
 */
export async function searchSegments(
  sql: SqlExecutor,
  search: SegmentSearch,
  resolve: () => Promise<ResolvedTerms>,
  newer: (counted: CountedTerms, after: number) => Promise<KeywordHit[]>,
): Promise<SegmentAnswer> {
  const [resolved, listed] = await Promise.all([resolve(), listSegments(sql, search)]);
  const { stats } = resolved;
  if (resolved.terms.length === 0 || !stats) return { resolved };
  const counted = { terms: await affordable(sql, { ...search, ...listed }, resolved.terms, stats), stats };
  const whole = await loadListed(sql, search, counted, listed);
  const last = whole?.loaded.at(-1)?.lastChunk;
  if (!whole || last === undefined) return { resolved };
  const { loaded, newestChunk } = whole;
  const [others, own] = await Promise.all([
    newestChunk > last ? newer(counted, last) : [],
    bestExisting(sql, search, counted, loaded),
  ]);
  const hits = own && mergeHits(own, others, search.limit);
  return { resolved, found: hits && { hits, counted: { ...counted, segments: loaded } } };
}

/**
 * Returns the scores of given chunks, from the segments that were searched or, with a cache, from
 * all segments of the index. Chunks without any of the terms are left out. Chunks that are in no
 * segment yet are returned as `newer`.
 *
 * @param limit how many of the best scores are wanted
 */
export async function scoreInSegments(
  sql: SqlExecutor,
  { cache, ...index }: Index & { cache?: SegmentCache | undefined },
  searched: SearchedTerms,
  chunkIds: readonly string[],
  limit: number,
): Promise<{ hits: KeywordHit[]; newer: string[]; counted: SearchedTerms }> {
  const loaded =
    cache && (await loadListed(sql, { ...index, cache }, searched, await listSegments(sql, index)))?.loaded;
  const counted = loaded ? { ...searched, segments: loaded } : searched;
  const { segments = [] } = counted;
  const last = segments.at(-1)?.lastChunk ?? 0;
  const packed = chunkIds.filter((id) => Number(id) <= last);
  const newer = chunkIds.filter((id) => Number(id) > last);
  return { hits: await scoresOf(counted, segments, packed, limit), newer, counted };
}

/**
 * Records which segments have deleted chunks. Their hits are checked from now on.
 *
 * @returns whether this was new for any of them
 */
export function noteDeleted(
  { withDeletions }: SegmentCache,
  segments: readonly LoadedSegment[],
  chunkIds: readonly string[],
): boolean {
  const numbers = chunkIds.map(Number);
  const affected = segments.filter(({ chunks }) => numbers.some((id) => numberOf(chunks, id) !== undefined));
  const news = affected.filter(({ chunks }) => !withDeletions.has(chunks));
  for (const { chunks } of news) withDeletions.add(chunks);
  return news.length > 0;
}

/**
 * Packs new chunks into segments, each segment in a transaction of its own.
 *
 * @param transaction runs a function in a transaction that may write
 * @param read runs a function in a read-only transaction
 * @param breathe awaited between short parts of the work
 * @param total how many chunks the index has; undefined when not known
 * @throws Postgres' error lockNotAvailable when writers hold the chunks for longer than a second
 */
export async function packSegments(
  { transaction, read, breathe }: { transaction: Run; read: Run; breathe: () => Promise<void> },
  index: Index,
  total?: number,
): Promise<void> {
  const planUpTo = (chunk: number) => transaction((sql) => planSegments(sql, index, chunk, total));
  // Checked without the lock first: writers wait for the lock, and most calls find too few new
  // chunks for a segment.
  if ((await planUpTo(Number.MAX_SAFE_INTEGER)).length === 0) return;
  const settled = await transaction((sql) => settledChunk(sql, index));
  for (const plan of await planUpTo(settled)) {
    const collected = await collectSegment(read, index, plan, breathe);
    await transaction((sql) => storeSegment(sql, index, plan, collected));
  }
}

/**
 * Returns the segments with the postings of the terms, and lists them again if one was replaced
 * meanwhile. Undefined when there are none.
 */
async function loadListed(
  sql: SqlExecutor,
  search: Index & { cache: SegmentCache },
  { terms }: CountedTerms,
  listed: ListedSegments,
): Promise<{ loaded: LoadedSegment[]; newestChunk: number } | undefined> {
  for (let tries = 1; listed.segments.length > 0; tries++) {
    const loaded = await loadSegments(sql, search, search.cache, listed.segments, terms);
    if (loaded) return { loaded, newestChunk: listed.newestChunk };
    if (tries === MAX_TRIES) return undefined;
    listed = await listSegments(sql, search);
  }
  return undefined;
}

/**
 * Returns the best chunks of the segments that exist and pass the filter; undefined when too few of
 * the checked chunks do.
 */
async function bestExisting(
  sql: SqlExecutor,
  search: SegmentSearch,
  counted: CountedTerms,
  loaded: readonly LoadedSegment[],
): Promise<KeywordHit[] | undefined> {
  const hasDeletions = loaded.some(({ chunks }) => search.cache.withDeletions.has(chunks));
  if (search.unchecked && !hasDeletions && !(search.filter && isFiltered(search.filter)))
    return scoresOf(counted, loaded, await bestChunks(loaded, search, counted, search.limit), search.limit);
  for (let wanted = search.limit + MARGIN; wanted <= MAX_LOOKED_AT; wanted *= 4) {
    const best = await bestChunks(loaded, search, counted, wanted);
    const left = await existing(sql, search, best);
    if (left.length < search.limit && best.length === wanted) continue;
    return scoresOf(counted, loaded, left.slice(0, search.limit), search.limit);
  }
  return undefined;
}

/**
 * Returns the ids of the best chunks, best first. The first slice waits for a turn as well:
 * otherwise the first slices of many searches run in one turn.
 */
async function bestChunks(
  loaded: readonly LoadedSegment[],
  { schema, sources }: SegmentSearch,
  { terms, stats }: CountedTerms,
  limit: number,
): Promise<string[]> {
  const weighed = weigh(terms, stats);
  const into: BestChunks = { limit, best: [] };
  await nextTurn(schema);
  const breathe = createYielder(0, schema);
  for (const { chunks, postings } of loaded) {
    scoreSegment(chunks, weighed, postings, { averageLength: stats.averageLength, sources }, into);
    await breathe();
  }
  return into.best.map(({ chunkId }) => String(chunkId));
}

/** How many chunks are scored between two checks of the clock. */
const SCORED_AT_ONCE = 1000;

/** Returns the scores of chunks, the best `limit` of them. */
async function scoresOf(
  { terms, stats }: CountedTerms,
  segments: readonly LoadedSegment[],
  chunkIds: readonly string[],
  limit: number,
): Promise<KeywordHit[]> {
  const weighed = weigh(terms, stats);
  const ids = chunkIds.map(Number).sort((a, b) => a - b);
  const breathe = createYielder();
  let [scored, next]: [ScoredChunk[], number] = [[], 0];
  for (const { chunks, postings, lastChunk } of segments) {
    // Segments follow each other, so each id is looked up in one segment. Looking up thousands of
    // ids in each of sixty segments took ten milliseconds.
    const first = next;
    while (next < ids.length && (ids[next] ?? 0) <= lastChunk) next++;
    for (let at = first; at < next; at += SCORED_AT_ONCE) {
      const asked = ids.slice(at, Math.min(next, at + SCORED_AT_ONCE));
      const numbers = asked.flatMap((id) => numberOf(chunks, id) ?? []);
      scored.push(...scoreChunks(chunks, weighed, postings, stats.averageLength, numbers));
      if (scored.length > limit + SCORED_AT_ONCE) scored = bestOf(scored, limit);
      await breathe();
    }
  }
  return bestOf(scored, limit).map(toHit);
}

function bestOf(scored: ScoredChunk[], limit: number): ScoredChunk[] {
  return scored.sort((a, b) => b.score - a.score || a.chunkId - b.chunkId).slice(0, limit);
}

function weigh(terms: CountedTerms["terms"], { chunks }: CountedTerms["stats"]): WeighedTerm[] {
  return terms.map((term) => ({ concept: term.concept, weight: fullGain(term, chunks) }));
}

function toHit({ chunkId, score, found }: ScoredChunk): KeywordHit {
  return { chunkId: String(chunkId), score, found };
}

/**
 * Returns the chunks that pass the filter, except chunks that were deleted or moved to another
 * source since their segment was made.
 */
async function existing(sql: SqlExecutor, search: SegmentSearch, chunkIds: readonly string[]): Promise<string[]> {
  if (chunkIds.length === 0) return [];
  const values: unknown[] = [chunkIds, search.sources];
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT k.id FROM ${search.schema}.chunks_${search.generationId} AS k
      WHERE k.id = ANY($1::bigint[])
        AND ($2::smallint[] IS NULL OR k.source = ANY($2))${passing(search, search.filter, "k.id", values)}`,
    values,
    // With a filter the best plan depends on the filter's values.
    values.length === 2 ? { prepare: true } : {},
  );
  const found = new Set(rows.map((row) => row.id));
  return chunkIds.filter((id) => found.has(id));
}
