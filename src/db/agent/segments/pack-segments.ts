import { createYielder } from "../../../base/cooperative-yield.ts";
import { encodeByteas } from "../../bytea-codec.ts";
import { lockTables } from "../../citus/ddl.ts";
import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../space/schema-name.ts";
import { createPostingCollector, type PostingCollector, type StoredPostings } from "./collect-postings.ts";
import { listSegments, type Segment } from "./load-segments.ts";

/** Chunks whose postings are to become one segment, and the segments that it replaces. */
export interface SegmentPlan {
  firstChunk: number;
  lastChunk: number;
  replaced: readonly string[];
}

/** Fewer new chunks than this are searched by their keyword vectors. */
const MIN_NEW_CHUNKS = 100;
/** Packing so many takes about two seconds, most of them in this process, and a search scores them in well under a millisecond. */
const MAX_CHUNKS = 16_384;
/** Of one statement each: the embedded database holds the event loop meanwhile, and no driver should have to hold much. */
const CHUNKS_READ = 100;
const ROWS_INSERTED = 500;
const BYTES_INSERTED = 1_000_000;
/**
 * So many segments are joined with new chunks, or none: joining one at a time packs each chunk of 14,000 that come 1,800 at a time
 * four times, this two or three times, and readers keep what they know of the others.
 */
const MIN_JOINED = 3;
/** A segment is made anew when this share of its chunks has been deleted. */
const MAX_DELETED = 0.5;

interface Index {
  schema: SchemaName;
  generationId: number;
}

/**
 * The id up to which no chunk can appear any more: an id is given before its transaction ends, so a smaller one may become
 * visible after a greater one. The lock waits for the writers under way, and is over with the caller's transaction, which
 * should do nothing else: new writers wait for it.
 */
export async function settledChunk(sql: SqlExecutor, { schema, generationId }: Index): Promise<number> {
  const chunks = `${schema}.chunks_${generationId}`;
  await sql.executeSql("SET LOCAL lock_timeout = '1s'");
  await lockTables(sql, [chunks], "SHARE");
  const { rows } = await sql.executeSql<{ id: string | null }>(`SELECT max(id) AS id FROM ${chunks}`);
  return Number(rows[0]?.id ?? 0);
}

/**
 * Which segments to make: of the chunks up to `settled` that are in none, together with the segments before them if there
 * are several that are not twice as large, so that a chunk is packed a logarithmic number of times; and of segments that deletions
 * have emptied.
 *
 * @param total how many chunks there are, so that most calls need not count those of each segment; undefined: not known
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

/** Whether so many chunks of segments are gone that they may be those of one, and half of it. */
function mayBeEmptied(segments: readonly Segment[], fresh: number, total: number | undefined): boolean {
  if (total === undefined) return true;
  const sizes = segments.map(({ chunkCount }) => chunkCount);
  const deleted = sizes.reduce((sum, size) => sum + size, 0) + fresh - total;
  return deleted >= Math.min(...sizes) * MAX_DELETED;
}

/** Takes off the end of `left` what is not at least twice as large as what comes after it, if it is so many. */
function takeSmaller(left: Segment[], alive: ReadonlyMap<string, number>, size: number, least: number): Segment[] {
  let from = left.length;
  for (; from > 0; from--) {
    const count = alive.get(left[from - 1]?.id ?? "") ?? 0;
    if (count >= 2 * size || count + size > MAX_CHUNKS) break;
    size += count;
  }
  // What becomes large is joined with little else later, and small segments left between are read by every search.
  const isLarge = size >= MAX_CHUNKS / 2;
  return left.length - from < least && !isLarge ? [] : left.splice(from);
}

async function countAlive(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  segments: readonly Segment[],
): Promise<Map<string, number>> {
  const { rows } = await sql.executeSql<{ id: string; alive: number }>(
    `SELECT s.id, (SELECT count(*)::int FROM ${schema}.chunks_${generationId} AS c WHERE c.id BETWEEN s.first AND s.last) AS alive
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS s (id, first, last)`,
    [
      segments.map(({ id }) => id),
      segments.map(({ firstChunk }) => firstChunk),
      segments.map(({ lastChunk }) => lastChunk),
    ],
  );
  return new Map(rows.map(({ id, alive }) => [id, alive]));
}

/** How many chunks there are between two ids, and ranges that have at most MAX_CHUNKS of them and together cover all ids. */
async function runsOfNew(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  first: number,
  last: number,
): Promise<{ count: number; runs: [number, number][] }> {
  const { rows } = await sql.executeSql<{ id: string; number: number }>(
    `SELECT id, number::int FROM (
       SELECT id, row_number() OVER (ORDER BY id) AS number, count(*) OVER () AS count
         FROM ${schema}.chunks_${generationId} WHERE id BETWEEN $1 AND $2) AS c
      WHERE number % ${MAX_CHUNKS} = 0 OR number = count ORDER BY id`,
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

/** What is to be a segment: its chunks, and posting lists by lexeme in the order of their bytes. */
export interface CollectedSegment {
  readonly chunks: readonly PackedChunk[];
  readonly postings: readonly StoredPostings[];
}

/**
 * Makes the posting lists of a plan's chunks, in this process: `unnest` of their vectors and an aggregate took five times as
 * long of Postgres, which serves writers and searches meanwhile. A chunk is never changed, and one that is deleted later is
 * found out as any other of a segment, so nothing is locked and no transaction is longer than a page.
 *
 * @param breathe awaited between short parts of it
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
 * Stores a segment; what it replaces goes in the same transaction. Does nothing when another job has
 * packed some of its chunks since the plan was made: a chunk in two segments would be found twice. Nor when those before them
 * are in no segment: the next plan begins after the last segment.
 */
export async function storeSegment(
  sql: SqlExecutor,
  { schema, generationId }: Index,
  plan: SegmentPlan,
  collected: CollectedSegment,
): Promise<void> {
  const segments = `${schema}.segments_${generationId}`;
  const chunks = `${schema}.chunks_${generationId}`;
  // The chunks first, as searches do and whoever drops a generation.
  await lockTables(sql, [chunks], "ACCESS SHARE");
  await lockTables(sql, [segments], "SHARE ROW EXCLUSIVE");
  const { rows } = await sql.executeSql<{ id: string; before: boolean }>(
    `SELECT id, last_chunk < $1 AS before FROM ${segments} WHERE first_chunk <= $2 AND last_chunk >= $1 - 1`,
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
  /** Its id, as a distance from the first chunk's. */
  offset: number;
  length: number;
  source: number;
}

/** Hands the keyword vectors of a plan's chunks to `postings`, by their ids. */
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
        `SELECT (id - $1)::int AS offset, length, source, encode(tsvectorsend(keywords), 'base64') AS keywords
           FROM ${schema}.chunks_${generationId} WHERE id BETWEEN $2 AND $3 ORDER BY id LIMIT ${CHUNKS_READ}`,
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
     VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6) RETURNING id`,
    [
      ...[firstChunk, lastChunk, packed.length],
      integers(packed.map(({ offset }) => offset)),
      integers(packed.map(({ length }) => length)),
      Buffer.from(packed.map(({ source }) => source)),
    ],
  );
  return rows[0]?.id;
}

/** In the order of the lexemes, so that the primary key's index is only appended to. */
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
       SELECT $1, convert_from(p.lexeme, 'UTF8'), p.entries FROM unnest($2::bytea[], $3::bytea[]) AS p (lexeme, entries)`,
      [segmentId, encodeByteas(batch.map(({ lexeme }) => lexeme)), encodeByteas(batch.map(({ entries }) => entries))],
    );
  for (const list of postings) {
    batch.push(list);
    bytes += list.entries.length;
    if (batch.length < ROWS_INSERTED && bytes < BYTES_INSERTED) continue;
    await flush();
    // The embedded database answers without letting anybody else have a turn.
    await breathe();
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) await flush();
}
