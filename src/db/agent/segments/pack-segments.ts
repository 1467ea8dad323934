import { createYielder } from "../../../base/cooperative-yield.ts";
import { encodeByteas } from "../../bytea-codec.ts";
import { lockTables } from "../../citus/ddl.ts";
import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { createPostingCollector, type PostingCollector, type StoredPostings } from "./collect-postings.ts";
import { listSegments, type Segment } from "./load-segments.ts";

/** The range of chunks that is to become one segment, and the segments that it replaces. */
export interface SegmentPlan {
  firstChunk: number;
  lastChunk: number;
  replaced: readonly string[];
}

/** Fewer new chunks than this are not packed but searched by their keyword vectors. */
const MIN_NEW_CHUNKS = 100;
/**
 * The most chunks of one segment. Packing this many takes about two seconds, most of them in this
 * process, and a search scores them in well under a millisecond.
 */
const MAX_CHUNKS = 16_384;
/**
 * The limits of one statement: the embedded database blocks the event loop while it runs one, and
 * no driver should have to hold much.
 */
const CHUNKS_READ = 100;
const ROWS_INSERTED = 500;
const BYTES_INSERTED = 1_000_000;
/**
 * The fewest segments that are joined with new chunks; with fewer, none is joined. If 14,000 chunks
 * come 1,800 at a time, joining one segment at a time packs each chunk four times; this limit packs
 * each two or three times, and readers keep their cache of the other segments.
 */
const MIN_JOINED = 3;
/** The share of deleted chunks from which a segment is made again. */
const MAX_DELETED = 0.5;

interface Index {
  schema: SchemaName;
  generationId: number;
}

/**
 * Returns the id up to which no further chunk can appear. An id is assigned before its transaction
 * ends, so a smaller id may become visible after a greater one. The lock waits for current writers
 * and lasts until the caller's transaction ends. That transaction should do nothing else, because
 * new writers wait for it.
 */
export async function settledChunk(sql: SqlExecutor, { schema, generationId }: Index): Promise<number> {
  const chunks = `${schema}.chunks_${generationId}`;
  await sql.executeSql("SET LOCAL lock_timeout = '1s'");
  await lockTables(sql, [chunks], "SHARE");
  const { rows } = await sql.executeSql<{ id: string | null }>(`SELECT max(id) AS id FROM ${chunks}`);
  return Number(rows[0]?.id ?? 0);
}

/**
 * Plans the segments to make. One plan covers the chunks up to `settled` that are in no segment. It
 * also replaces the preceding segments that are less than twice as large as all chunks after them,
 * if there are several; so a chunk is packed a logarithmic number of times. Other plans replace
 * segments that deletions have emptied.
 *
 * @param total how many chunks there are, so that most calls need not count the chunks of each
 * segment; undefined when not known
 */
export async function planSegments(
  sql: SqlExecutor,
  index: Index,
  settled: number,
  total?: number,
): Promise<SegmentPlan[]> {
  const { segments } = await listSegments(sql, index);
  const fresh = await runsOfNew(sql, index, (segments.at(-1)?.lastChunk ?? 0) + 1, settled);
  const alive = mayBeEmptied(segments, fresh.count, total)
    ? await countAlive(sql, index, segments)
    : new Map(segments.map(({ id, chunkCount }) => [id, chunkCount]));
  const plans: SegmentPlan[] = [];
  const left = [...segments];
  if (fresh.count >= MIN_NEW_CHUNKS)
    for (const [number, [first, lastChunk]] of fresh.runs.entries()) {
      const joined = number === 0 ? takeSmaller(left, alive, fresh.count, MIN_JOINED) : [];
      plans.push({ firstChunk: joined[0]?.firstChunk ?? first, lastChunk, replaced: joined.map(({ id }) => id) });
    }
  for (let last = left.pop(); last; last = left.pop()) {
    const size = alive.get(last.id) ?? 0;
    if (size >= last.chunkCount * (1 - MAX_DELETED)) continue;
    const joined = [...takeSmaller(left, alive, size, 1), last];
    const firstChunk = joined[0]?.firstChunk ?? last.firstChunk;
    plans.push({ firstChunk, lastChunk: last.lastChunk, replaced: joined.map(({ id }) => id) });
  }
  return plans;
}

/**
 * Returns whether so many chunks of segments are deleted that one segment may have lost half of its
 * chunks.
 */
function mayBeEmptied(segments: readonly Segment[], fresh: number, total: number | undefined): boolean {
  if (total === undefined) return true;
  const sizes = segments.map(({ chunkCount }) => chunkCount);
  const deleted = sizes.reduce((sum, size) => sum + size, 0) + fresh - total;
  return deleted >= Math.min(...sizes) * MAX_DELETED;
}

/**
 * Removes from the end of `left`, and returns, the segments that are less than twice as large as
 * all chunks after them, if there are at least `least` of them.
 */
function takeSmaller(left: Segment[], alive: ReadonlyMap<string, number>, size: number, least: number): Segment[] {
  let from = left.length;
  for (; from > 0; from--) {
    const count = alive.get(left[from - 1]?.id ?? "") ?? 0;
    if (count >= 2 * size || count + size > MAX_CHUNKS) break;
    size += count;
  }
  // A large segment is seldom joined again, and small segments left before it would be read by
  // every search, so they are joined now.
  const isLarge = size >= MAX_CHUNKS / 2;
  return left.length - from < least && !isLarge ? [] : left.splice(from);
}

async function countAlive(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  segments: readonly Segment[],
): Promise<Map<string, number>> {
  const { rows } = await sql.executeSql<{ id: string; alive: number }>(
    `SELECT s.id,
            (
              SELECT count(*)::int
                FROM ${schema}.chunks_${generationId} AS c
               WHERE c.id BETWEEN s.first AND s.last) AS alive
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS s (id, first, last)`,
    [
      segments.map(({ id }) => id),
      segments.map(({ firstChunk }) => firstChunk),
      segments.map(({ lastChunk }) => lastChunk),
    ],
  );
  return new Map(rows.map(({ id, alive }) => [id, alive]));
}

/**
 * Returns the number of chunks between two ids, and ranges that have at most MAX_CHUNKS chunks each
 * and together cover all ids.
 */
async function runsOfNew(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  first: number,
  last: number,
): Promise<{ count: number; runs: [number, number][] }> {
  const { rows } = await sql.executeSql<{ id: string; number: number }>(
    `SELECT id, number::int
       FROM (
         SELECT id, row_number() OVER (ORDER BY id) AS number, count(*) OVER () AS count
           FROM ${schema}.chunks_${generationId}
          WHERE id BETWEEN $1 AND $2) AS c
      WHERE number % ${MAX_CHUNKS} = 0
         OR number = count
      ORDER BY id`,
    [first, last],
  );
  let start = first;
  const runs = rows.map(({ id }): [number, number] => {
    const run: [number, number] = [start, Number(id)];
    start = Number(id) + 1;
    return run;
  });
  return { count: rows.at(-1)?.number ?? 0, runs };
}

/**
 * The contents of a new segment: its chunks, and one posting list per lexeme, in the order of the
 * lexemes' bytes.
 */
export interface CollectedSegment {
  readonly chunks: readonly PackedChunk[];
  readonly postings: readonly StoredPostings[];
}

/**
 * Makes the posting lists of a plan's chunks in this process: `unnest` of their vectors and an
 * aggregate took Postgres five times as long, and Postgres must serve writers and searches
 * meanwhile. A chunk is never changed, and a chunk that is deleted later is detected like any other
 * deleted chunk of a segment. So nothing is locked, and no transaction is longer than one page.
 *
 * @param breathe awaited between short parts of the work
 */
export async function collectSegment(
  read: <T>(fn: (sql: SqlExecutor) => Promise<T>) => Promise<T>,
  index: Index,
  plan: SegmentPlan,
  breathe: () => Promise<void>,
): Promise<CollectedSegment> {
  const collector = createPostingCollector(breathe);
  const chunks = await readChunks(read, index, plan, collector, breathe);
  const postings: StoredPostings[] = [];
  for await (const list of collector.lists()) postings.push(list);
  return { chunks, postings };
}

/**
 * Stores a segment and deletes the segments that it replaces, in the same transaction. Does nothing
 * if another job has packed some of its chunks since the plan was made, because a chunk in two
 * segments would be found twice. Does nothing either if the chunks before it are in no segment,
 * because the next plan begins after the last segment.
 */
export async function storeSegment(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  plan: SegmentPlan,
  collected: CollectedSegment,
): Promise<void> {
  const segments = `${schema}.segments_${generationId}`;
  const chunks = `${schema}.chunks_${generationId}`;
  // Locks the chunks first, in the same order as searches and the job that drops a generation.
  await lockTables(sql, [chunks], "ACCESS SHARE");
  await lockTables(sql, [segments], "SHARE ROW EXCLUSIVE");
  const { rows } = await sql.executeSql<{ id: string; before: boolean }>(
    `SELECT id, last_chunk < $1 AS before
       FROM ${segments}
      WHERE first_chunk <= $2
        AND last_chunk >= $1 - 1`,
    [plan.firstChunk, plan.lastChunk],
  );
  const overlapping = rows.filter(({ before }) => !before);
  if (overlapping.length !== plan.replaced.length || overlapping.some(({ id }) => !plan.replaced.includes(id))) return;
  if (plan.firstChunk > 1 && overlapping.length === rows.length) return;
  await sql.executeSql(`DELETE FROM ${segments} WHERE id = ANY($1::bigint[])`, [plan.replaced]);
  const segmentId = await insertSegment(sql, segments, plan, collected.chunks);
  await insertPostings(sql, `${schema}.postings_${generationId}`, segmentId, collected.postings);
}

interface PackedChunk {
  /** The chunk's id, as a distance from the first chunk's id. */
  offset: number;
  length: number;
  source: number;
}

/** Passes the keyword vectors of a plan's chunks to `postings`, in the order of their ids. */
async function readChunks(
  read: <T>(fn: (sql: SqlExecutor) => Promise<T>) => Promise<T>,
  { schema, generationId }: Index,
  { firstChunk, lastChunk }: SegmentPlan,
  postings: PostingCollector,
  breathe: () => Promise<void>,
): Promise<PackedChunk[]> {
  const packed: PackedChunk[] = [];
  for (let from = firstChunk; ; ) {
    // In base64, as vectors are read (db/vector-codec.ts).
    const { rows } = await read((sql) =>
      sql.executeSql<PackedChunk & { keywords: string }>(
        `SELECT (id - $1)::int AS
         offset, length, source, encode(tsvectorsend(keywords), 'base64') AS keywords
           FROM ${schema}.chunks_${generationId}
          WHERE id BETWEEN $2 AND $3
          ORDER BY id
          LIMIT ${CHUNKS_READ}`,
        [firstChunk, from, lastChunk],
      ),
    );
    for (const { offset, length, source, keywords } of rows) {
      packed.push({ offset, length, source });
      postings.add(Buffer.from(keywords, "base64"));
      await breathe();
    }
    if (rows.length < CHUNKS_READ) return packed;
    from = firstChunk + (packed.at(-1)?.offset ?? 0) + 1;
  }
}

async function insertSegment(
  sql: SqlExecutor,
  segments: string,
  { firstChunk, lastChunk }: SegmentPlan,
  packed: readonly PackedChunk[],
): Promise<string | undefined> {
  const integers = (values: readonly number[]) => Buffer.from(Int32Array.from(values).buffer).swap32();
  const { rows } = await sql.executeSql<{ id: string }>(
    `INSERT INTO ${segments} (key, first_chunk, last_chunk, chunk_count, offsets, lengths, sources)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6)
     RETURNING id`,
    [
      ...[firstChunk, lastChunk, packed.length],
      integers(packed.map(({ offset }) => offset)),
      integers(packed.map(({ length }) => length)),
      Buffer.from(packed.map(({ source }) => source)),
    ],
  );
  return rows[0]?.id;
}

/**
 * Inserts posting lists in the order of the lexemes, so that the primary key's index is only
 * appended to.
 */
async function insertPostings(
  sql: SqlExecutor,
  table: string,
  segmentId: string | undefined,
  postings: readonly StoredPostings[],
): Promise<void> {
  const breathe = createYielder();
  let batch: StoredPostings[] = [];
  let bytes = 0;
  const flush = () =>
    sql.executeSql(
      `INSERT INTO ${table} (segment_id, lexeme, entries)
       SELECT $1, convert_from(p.lexeme, 'UTF8'), p.entries
         FROM unnest($2::bytea[], $3::bytea[]) AS p (lexeme, entries)`,
      [segmentId, encodeByteas(batch.map(({ lexeme }) => lexeme)), encodeByteas(batch.map(({ entries }) => entries))],
    );
  for (const list of postings) {
    batch.push(list);
    bytes += list.entries.length;
    if (batch.length < ROWS_INSERTED && bytes < BYTES_INSERTED) continue;
    await flush();
    // The embedded database answers without yielding to the event loop.
    await breathe();
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) await flush();
}
