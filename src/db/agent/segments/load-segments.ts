import type { LRUCache } from "lru-cache";
import { createYielder } from "../../../base/cooperative-yield.ts";
import type { SqlExecutor } from "../../database.ts";
import { rankOfFrequency, TF_THRESHOLDS } from "../keyword/bm25.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import type { PostingList } from "./add-concepts.ts";
import type { SegmentChunks } from "./score-postings.ts";

/**
 * A run of an index's chunks whose keyword vectors are also stored inverted: for each lexeme the
 * chunks that have it, and how often. A segment is never changed, only replaced, so a cached
 * segment stays valid. A deleted chunk stays in its segment until the segment is replaced.
 */
export interface Segment {
  id: string;
  /** A key that is never reused, even in an index that replaced another. */
  key: string;
  firstChunk: number;
  lastChunk: number;
  chunkCount: number;
}

/** A lexeme, or with `prefix` all lexemes that begin with it. */
export interface Lexeme {
  lexeme: string;
  prefix: boolean;
}

export interface LoadedSegment {
  lastChunk: number;
  chunks: SegmentChunks;
  /** One posting list per lexeme, in the order of the requested lexemes. */
  postings: PostingList[];
}

/** The segments that a process has cached. */
export interface SegmentCache {
  /** The chunks of segments. Keyed by the segment's key. */
  readonly chunks: LRUCache<string, SegmentChunks>;
  /**
   * The posting lists. One entry per lexeme of an index holds its lists in all segments, keyed by
   * the segment's key. With an entry for each single list, looking the lists up took longer than
   * scoring them.
   */
  readonly postings: LRUCache<string, ReadonlyMap<string, PostingList>>;
  /** The chunks of segments that are known to contain deleted chunks. */
  readonly withDeletions: WeakSet<SegmentChunks>;
}

export interface ListedSegments {
  /** The segments in the order of their chunks' ids. */
  segments: Segment[];
  /** The id of the newest chunk; 0 when there is none. */
  newestChunk: number;
}

interface Index {
  schema: SchemaName;
  generationId: number;
}

/** Returns the segments of an index, and the newest of all its chunks. */
export async function listSegments(sql: SqlExecutor, { schema, generationId }: Index): Promise<ListedSegments> {
  const { rows } = await sql.executeSql<
    Segment & { newestChunk: string | null; firstChunk: string; lastChunk: string }
  >(
    `SELECT n.id AS "newestChunk", s.id, s.key, s.first_chunk AS "firstChunk",
            s.last_chunk AS "lastChunk", s.chunk_count AS "chunkCount"
       FROM (SELECT max(id) AS id FROM ${schema}.chunks_${generationId}) AS n
       LEFT JOIN ${schema}.segments_${generationId} AS s ON true
      ORDER BY s.first_chunk`,
    [],
    { prepare: true },
  );
  const segments = rows.flatMap(({ id, key, firstChunk, lastChunk, chunkCount }): Segment[] =>
    // An index without segments gives one row, which has only the newest chunk.
    (id as string | null) === null
      ? []
      : [{ id, key, firstChunk: Number(firstChunk), lastChunk: Number(lastChunk), chunkCount }],
  );
  return { segments, newestChunk: Number(rows[0]?.newestChunk ?? 0) };
}

/**
 * Returns the chunks and posting lists of segments, from the cache or in a few statements.
 *
 * @returns undefined when one of the segments has been replaced since they were listed
 */
export async function loadSegments(
  sql: SqlExecutor,
  index: Index,
  cache: SegmentCache,
  segments: readonly Segment[],
  lexemes: readonly Lexeme[],
): Promise<LoadedSegment[] | undefined> {
  const [chunks, postings] = await Promise.all([
    loadChunks(sql, index, cache, segments),
    loadPostings(sql, index, cache, segments, lexemes),
  ]);
  const loaded = segments.map(({ key, lastChunk }): LoadedSegment | undefined => {
    const ofSegment = chunks.get(key);
    const lists = postings.map((ofLexeme) => ofLexeme.get(key));
    const whole = lists.every((list) => list !== undefined);
    return ofSegment && whole ? { lastChunk, chunks: ofSegment, postings: lists } : undefined;
  });
  return loaded.every((segment) => segment !== undefined) ? loaded : undefined;
}

interface ChunksRow {
  key: string;
  firstChunk: string;
  offsets: Uint8Array;
  lengths: Uint8Array;
  sources: Uint8Array;
}

async function loadChunks(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  cache: SegmentCache,
  segments: readonly Segment[],
): Promise<Map<string, SegmentChunks>> {
  const loaded = new Map<string, SegmentChunks>();
  const missing: string[] = [];
  for (const { id, key } of segments) {
    const known = cache.chunks.get(key);
    if (known) loaded.set(key, known);
    else missing.push(id);
  }
  if (missing.length === 0) return loaded;
  const { rows } = await sql.executeSql<ChunksRow>(
    `SELECT key, first_chunk AS "firstChunk", offsets, lengths, sources
       FROM ${schema}.segments_${generationId}
      WHERE id = ANY($1::bigint[])`,
    [missing],
    { prepare: true },
  );
  for (const { key, firstChunk, offsets, lengths, sources } of rows) {
    const chunks: SegmentChunks = {
      firstChunk: Number(firstChunk),
      offsets: toNumbers(offsets),
      lengths: toNumbers(lengths),
      // A copy, because the driver's array is a view of the whole received buffer.
      sources: Uint8Array.from(sources),
    };
    cache.chunks.set(key, chunks);
    loaded.set(key, chunks);
  }
  return loaded;
}

/** Returns for each lexeme its lists by the keys of the segments. A replaced segment has none. */
async function loadPostings(
  sql: SqlExecutor,
  index: Index,
  cache: SegmentCache,
  segments: readonly Segment[],
  lexemes: readonly Lexeme[],
): Promise<ReadonlyMap<string, PostingList>[]> {
  const asked = lexemes.map((lexeme) => {
    const lists = cache.postings.get(postingsKey(index, lexeme));
    return { lexeme, lists, missing: segments.filter(({ key }) => !lists?.has(key)) };
  });
  const read = await readPostings(sql, index, asked);
  return asked.map(({ lexeme, lists = NO_LISTS, missing }, at) => {
    if (missing.length === 0) return lists;
    // Only lists of present segments are kept, because replaced segments are not looked up again.
    const all = new Map<string, PostingList>();
    for (const { key } of segments) {
      const list = read[at]?.get(key) ?? lists.get(key);
      if (list) all.set(key, list);
    }
    cache.postings.set(postingsKey(index, lexeme), all);
    return all;
  });
}

const NO_LISTS: ReadonlyMap<string, PostingList> = new Map();

function postingsKey({ schema, generationId }: Index, { lexeme, prefix }: Lexeme): string {
  return `${schema} ${generationId}${prefix ? "*" : "="}${lexeme}`;
}

interface WantedList extends Lexeme {
  /** The index of the lexeme in the request. */
  at: number;
  segment: Segment;
}

/**
 * The most bytes of lists that are read together, computed as if each chunk of a segment were in
 * its list.
 */
const READ_TOGETHER_BYTES = 16 * 1024 * 1024;
const POSTING_BYTES = 4;

/**
 * Splits lists into groups that are read one after the other. 64 words in a million chunks may take
 * 256 MB, and twice that as rows of the driver.
 */
export function inGroups<T extends { segment: Pick<Segment, "chunkCount"> }>(wanted: readonly T[]): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const list of wanted) {
    const bytes = list.segment.chunkCount * POSTING_BYTES;
    const last = groups.at(-1);
    if (last && bytes <= room) last.push(list);
    else {
      groups.push([list]);
      room = READ_TOGETHER_BYTES;
    }
    room -= bytes;
  }
  return groups;
}

/** Returns the missing lists, for each lexeme by the keys of their segments. */
async function readPostings(
  sql: SqlExecutor,
  index: Index,
  asked: readonly { lexeme: Lexeme; missing: readonly Segment[] }[],
): Promise<Map<string, PostingList>[]> {
  const lists = asked.map(() => new Map<string, PostingList>());
  const wanted = asked.flatMap(({ lexeme, missing }, at) => missing.map((segment) => ({ at, segment, ...lexeme })));
  for (const group of inGroups(wanted)) await readGroup(sql, index, group, lists);
  return lists;
}

async function readGroup(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  wanted: readonly WantedList[],
  lists: readonly Map<string, PostingList>[],
): Promise<void> {
  // Lexemes are sorted by their bytes, and U+10FFFF is the last character, so the range ends with
  // it.
  const { rows } = await sql.executeSql<{ number: number; entries: Uint8Array | null }>(
    `SELECT (w.number - 1)::int AS number, p.entries
       FROM unnest($1::bigint[], $2::text[], $3::bool[]) WITH ORDINALITY
         AS w (segment_id, lexeme, is_prefix, number)
       JOIN ${schema}.segments_${generationId} AS s ON s.id = w.segment_id
       LEFT JOIN ${schema}.postings_${generationId} AS p
         ON p.segment_id = w.segment_id AND p.lexeme >= w.lexeme
          AND p.lexeme <= CASE WHEN w.is_prefix THEN w.lexeme || chr(1114111) ELSE w.lexeme END`,
    [wanted.map(({ segment }) => segment.id), wanted.map(({ lexeme }) => lexeme), wanted.map(({ prefix }) => prefix)],
    { prepare: true },
  );
  const breathe = createYielder(0, schema);
  for (const [number, found] of Map.groupBy(rows, (row) => row.number)) {
    const one = wanted[number];
    if (!one) continue;
    const parts = found.flatMap(({ entries }) => (entries ? [inOrder(toNumbers(entries))] : []));
    lists[one.at]?.set(one.segment.key, joinPostings(parts));
    await breathe();
  }
}

/**
 * Returns a list in order. Lists are stored in order, except that older lists, made by Postgres
 * instead of the worker, may not be. Sorting took four times as long as checking.
 */
function inOrder(list: PostingList): PostingList {
  for (let i = 1; i < list.length; i++) if ((list[i] ?? 0) < (list[i - 1] ?? 0)) return list.sort();
  return list;
}

/** One list for all segments that lack a lexeme: most segments lack most spellings. */
const NO_POSTINGS: PostingList = new Uint32Array();

const RANKS = Float64Array.from({ length: 256 }, (_, frequency) => rankOfFrequency(frequency));

/**
 * Returns one list for all lexemes with the same beginning. It has the frequencies that ts_rank
 * uses for a prefix: ts_rank adds up the sums of each lexeme (calc_rank_or in Postgres' tsrank.c).
 */
function joinPostings(lists: readonly PostingList[]): PostingList {
  const [only] = lists;
  if (lists.length <= 1) return only ?? NO_POSTINGS;
  let size = 0;
  for (const list of lists) for (let i = 0; i < list.length; i++) size = Math.max(size, ((list[i] ?? 0) >>> 8) + 1);
  // An array, because a map of chunks took up to 14 ms for one segment, and a process that has just
  // started joins the lists of all segments.
  const sums = new Float64Array(size);
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      const posting = list[i] ?? 0;
      sums[posting >>> 8] = (sums[posting >>> 8] ?? 0) + (RANKS[posting & 255] ?? 0);
    }
  const joined = new Uint32Array(size);
  let length = 0;
  for (let number = 0; number < size; number++)
    if (sums[number]) joined[length++] = (number << 8) | frequencyOf(sums[number] ?? 0);
  return joined.slice(0, length);
}

/** Returns how many thresholds are not above a rank, as `width_bucket` does. */
function frequencyOf(rank: number): number {
  let from = 0;
  let to = TF_THRESHOLDS.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((TF_THRESHOLDS[middle] ?? 0) <= rank) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Reads the big-endian integers of `int4send`. Every platform that Node runs on is little-endian.
 */
function toNumbers(bytes: Uint8Array): Uint32Array {
  const copy = Buffer.from(new ArrayBuffer(bytes.length));
  copy.set(bytes);
  copy.swap32();
  return new Uint32Array(copy.buffer, 0, bytes.length / 4);
}
