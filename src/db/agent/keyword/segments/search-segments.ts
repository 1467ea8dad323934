import { createYielder } from "../../../../base/cooperative-yield.ts";
import type { SqlExecutor } from "../../../database.ts";
import { isFiltered, passing, type SearchFilter } from "../../ranking/search-filter.ts";
import type { SchemaName } from "../../space/schema-name.ts";
import { fullGain, type KeywordHit, mergeHits } from "../bm25.ts";
import type { CountedTerms } from "../keyword-terms.ts";
import {
  type ListedSegments,
  type LoadedSegment,
  listSegments,
  loadSegments,
  type SegmentCache,
} from "./keyword-segments.ts";
import {
  type BestChunks,
  numberOf,
  type ScoredChunk,
  scoreChunks,
  scoreSegment,
  type WeighedTerm,
} from "./score-postings.ts";

export interface SegmentSearch {
  schema: SchemaName;
  generationId: number;
  limit: number;
  sources?: readonly number[];
  filter?: SearchFilter | undefined;
  cache: SegmentCache;
  /** Hits of segments that are not known to be thinned need not exist any more. */
  unchecked?: boolean;
}

/** Segments are replaced as an index grows: between listing and reading them once, hardly ever twice. */
const MAX_TRIES = 3;
/** Hits that may turn out to be deleted before more of them are looked for. */
const MARGIN = 16;
/** A filter that so many hits do not pass is for a search that begins with the filter. */
const MAX_LOOKED_AT = 5000;

/**
 * Exact BM25 of every chunk that has one of the terms, from posting lists: in memory, but for what the process does not have
 * yet, and, unless the caller does that, for looking up whether the best still exist and pass the filter. The chunks that are
 * newer than the segments are `newer`'s to score.
 *
 * @returns undefined when the index has no segments, or too few of the best pass the filter
 */
export async function searchSegments(
  sql: SqlExecutor,
  search: SegmentSearch,
  listed: ListedSegments,
  counted: CountedTerms,
  newer: (after: number) => Promise<KeywordHit[]>,
): Promise<{ hits: KeywordHit[]; segments: LoadedSegment[] } | undefined> {
  const whole = await loadListed(sql, search, counted, listed);
  const last = whole?.loaded.at(-1)?.lastChunk;
  if (!whole || last === undefined) return undefined;
  const { loaded, newestChunk } = whole;
  const [others, own] = await Promise.all([
    newestChunk > last ? newer(last) : [],
    bestThere(sql, search, counted, loaded),
  ]);
  return own && { hits: mergeHits(own, others, search.limit), segments: loaded };
}

/** The segments with the postings of the terms, listed anew when one was replaced meanwhile; undefined when there are none. */
async function loadListed(
  sql: SqlExecutor,
  search: SegmentSearch,
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

/** The best chunks of the segments that exist and pass the filter; undefined when too few of those looked at do. */
async function bestThere(
  sql: SqlExecutor,
  search: SegmentSearch,
  counted: CountedTerms,
  loaded: readonly LoadedSegment[],
): Promise<KeywordHit[] | undefined> {
  const isThinned = loaded.some(({ chunks }) => search.cache.thinned.has(chunks));
  if (search.unchecked && !isThinned && !(search.filter && isFiltered(search.filter)))
    return scoresInSegments(counted, loaded, await bestChunks(loaded, search, counted, search.limit));
  for (let wanted = search.limit + MARGIN; wanted <= MAX_LOOKED_AT; wanted *= 4) {
    const best = await bestChunks(loaded, search, counted, wanted);
    const there = await stillThere(sql, search, best);
    if (there.length < search.limit && best.length === wanted) continue;
    return scoresInSegments(counted, loaded, there.slice(0, search.limit));
  }
  return undefined;
}

/**
 * Remembers that chunks which a search found unchecked do not exist.
 *
 * @returns whether that is news of one of its segments: it will be checked from now on
 */
export function noteDeleted(
  { thinned }: SegmentCache,
  segments: readonly LoadedSegment[],
  chunkIds: readonly string[],
): boolean {
  const numbers = chunkIds.map(Number);
  const met = segments.filter(({ chunks }) => numbers.some((id) => numberOf(chunks, id) !== undefined));
  const news = met.filter(({ chunks }) => !thinned.has(chunks));
  for (const { chunks } of news) thinned.add(chunks);
  return news.length > 0;
}

/** The segments of an index with the postings of the terms; undefined when there are none. */
export async function loadAll(
  sql: SqlExecutor,
  search: SegmentSearch,
  counted: CountedTerms,
): Promise<LoadedSegment[] | undefined> {
  return (await loadListed(sql, search, counted, await listSegments(sql, search)))?.loaded;
}

/** Ids of the best chunks, best first. */
async function bestChunks(
  loaded: readonly LoadedSegment[],
  { sources }: SegmentSearch,
  { terms, stats }: CountedTerms,
  limit: number,
): Promise<string[]> {
  const weighed = weigh(terms, stats);
  const into: BestChunks = { limit, best: [] };
  const breathe = createYielder();
  for (const { chunks, postings } of loaded) {
    scoreSegment(chunks, weighed, postings, { averageLength: stats.averageLength, sources }, into);
    await breathe();
  }
  return into.best.map(({ chunkId }) => String(chunkId));
}

/** The scores of given chunks by segments that were searched; those that have none of the terms, or are in no segment, are left out. */
export async function scoresInSegments(
  { terms, stats }: CountedTerms,
  segments: readonly LoadedSegment[],
  chunkIds: readonly string[],
): Promise<KeywordHit[]> {
  const weighed = weigh(terms, stats);
  const scored: ScoredChunk[] = [];
  const ids = chunkIds.map(Number);
  const breathe = createYielder();
  for (const { chunks, postings } of segments) {
    const numbers = ids.flatMap((id) => numberOf(chunks, id) ?? []);
    scored.push(...scoreChunks(chunks, weighed, postings, stats.averageLength, numbers));
    await breathe();
  }
  return scored.filter(({ score }) => score > 0).map(toHit);
}

function weigh(terms: CountedTerms["terms"], { chunks }: CountedTerms["stats"]): WeighedTerm[] {
  return terms.map((term) => ({ concept: term.concept, weight: fullGain(term, chunks) }));
}

function toHit({ chunkId, score, found }: ScoredChunk): KeywordHit {
  return { chunkId: String(chunkId), score, found };
}

/** Those of the chunks that have not been deleted or put into another source since their segment was made, and pass the filter. */
async function stillThere(sql: SqlExecutor, search: SegmentSearch, chunkIds: readonly string[]): Promise<string[]> {
  if (chunkIds.length === 0) return [];
  const values: unknown[] = [chunkIds, search.sources];
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT k.id FROM ${search.schema}.chunks_${search.generationId} AS k
      WHERE k.id = ANY($1::bigint[]) AND ($2::smallint[] IS NULL OR k.source = ANY($2))${passing(search, search.filter, "k.id", values)}`,
    values,
    // With a filter the best plan depends on it.
    values.length === 2 ? { prepare: true } : {},
  );
  const there = new Set(rows.map((row) => row.id));
  return chunkIds.filter((id) => there.has(id));
}
