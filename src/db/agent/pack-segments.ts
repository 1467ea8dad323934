import type { SqlExecutor } from "../database.ts";
import { listSegments, type Segment } from "./keyword-segments.ts";
import type { SchemaName } from "./schema-name.ts";

/** Chunks whose postings are to become one segment, and the segments that it replaces. */
export interface SegmentPlan {
  firstChunk: number;
  lastChunk: number;
  replaced: readonly string[];
}

/** Fewer new chunks than this are searched by their keyword vectors. */
const MIN_NEW_CHUNKS = 100;
/** Packing so many takes about two seconds, and a search scores them in well under a millisecond. */
const MAX_CHUNKS = 16_384;
/** Of one job in a worker: a kilobyte for each lexeme, and four bytes a posting. */
const PACKING_MEMORY = "64MB";
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
  await sql.executeSql(`SET LOCAL lock_timeout = '1s'; LOCK TABLE ${chunks} IN SHARE MODE`);
  const { rows } = await sql.executeSql<{ id: string | null }>(`SELECT max(id) AS id FROM ${chunks}`);
  return Number(rows[0]?.id ?? 0);
}

/**
 * Which segments to make: of the chunks up to `settled` that are in none, together with the segments before them that are
 * not at least twice as large, so that a chunk is packed a logarithmic number of times; and of segments that deletions have
 * emptied.
 */
export async function planSegments(sql: SqlExecutor, index: Index, settled: number): Promise<SegmentPlan[]> {
  const { segments } = await listSegments(sql, index);
  const alive = await countAlive(sql, index, segments);
  const fresh = await runsOfNew(sql, index, (segments.at(-1)?.lastChunk ?? 0) + 1, settled);
  const plans: SegmentPlan[] = [];
  const left = [...segments];
  if (fresh.count >= MIN_NEW_CHUNKS)
    for (const [number, [first, lastChunk]] of fresh.runs.entries()) {
      const joined = number === 0 ? takeSmaller(left, alive, fresh.count) : [];
      plans.push({ firstChunk: joined[0]?.firstChunk ?? first, lastChunk, replaced: joined.map(({ id }) => id) });
    }
  for (let last = left.pop(); last; last = left.pop()) {
    const size = alive.get(last.id) ?? 0;
    if (size >= last.chunkCount * (1 - MAX_DELETED)) continue;
    const joined = [...takeSmaller(left, alive, size), last];
    const firstChunk = joined[0]?.firstChunk ?? last.firstChunk;
    plans.push({ firstChunk, lastChunk: last.lastChunk, replaced: joined.map(({ id }) => id) });
  }
  return plans;
}

/** Takes off the end of `left` what is not at least twice as large as what comes after it. */
function takeSmaller(left: Segment[], alive: ReadonlyMap<string, number>, size: number): Segment[] {
  const taken: Segment[] = [];
  for (let last = left.at(-1); last; last = left.at(-1)) {
    const count = alive.get(last.id) ?? 0;
    if (count >= 2 * size || count + size > MAX_CHUNKS) break;
    taken.unshift(last);
    left.pop();
    size += count;
  }
  return taken;
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

/**
 * Packs the chunks of a plan, in one statement that takes about 0.1 ms a chunk; what it replaces goes in the same transaction.
 * Does nothing when another job has packed some of them since the plan was made, a chunk in two segments would be found twice,
 * or has not packed those before them, as the next plan begins after the last segment.
 */
export async function packSegment(sql: SqlExecutor, { schema, generationId }: Index, plan: SegmentPlan): Promise<void> {
  const segments = `${schema}.segments_${generationId}`;
  const chunks = `${schema}.chunks_${generationId}`;
  // The chunks first, as searches do and whoever drops a generation. With the usual 4 MB the aggregate of a thousand chunks is
  // written to disk in five parts, and takes half as long again.
  await sql.executeSql(
    `SET LOCAL work_mem = '${PACKING_MEMORY}'; LOCK TABLE ${chunks} IN ACCESS SHARE MODE; LOCK TABLE ${segments} IN SHARE ROW EXCLUSIVE MODE`,
  );
  const { rows } = await sql.executeSql<{ id: string; before: boolean }>(
    `SELECT id, last_chunk < $1 AS before FROM ${segments} WHERE first_chunk <= $2 AND last_chunk >= $1 - 1`,
    [plan.firstChunk, plan.lastChunk],
  );
  const met = rows.filter(({ before }) => !before);
  if (met.length !== plan.replaced.length || met.some(({ id }) => !plan.replaced.includes(id))) return;
  if (plan.firstChunk > 1 && met.length === rows.length) return;
  await sql.executeSql(`DELETE FROM ${segments} WHERE id = ANY($1::bigint[])`, [plan.replaced]);
  // A lexeme without positions counts once for ts_rank (POSNULL in tsrank.c): those that compounds are found by. Two vectors
  // that are joined may have 256 of one, which is a posting of the next chunk.
  await sql.executeSql(
    `WITH packed AS MATERIALIZED (
       SELECT id, length, source, keywords, (row_number() OVER (ORDER BY id) - 1)::int AS number
         FROM ${chunks} WHERE id BETWEEN $1 AND $2
     ), segment AS (
       INSERT INTO ${segments} (key, first_chunk, last_chunk, chunk_count, offsets, lengths, sources)
       SELECT gen_random_uuid(), $1, $2, count(*), coalesce(string_agg(int4send((id - $1)::int), '' ORDER BY id), ''),
              coalesce(string_agg(int4send(length), '' ORDER BY id), ''),
              coalesce(string_agg(substring(int2send(source) FROM 2), '' ORDER BY id), '')
         FROM packed RETURNING id
     )
     INSERT INTO ${schema}.postings_${generationId} (segment_id, lexeme, entries)
     SELECT s.id, k.lexeme, string_agg(int4send(p.number << 8 | least(greatest(cardinality(k.positions), 1), 255)), '')
       FROM segment AS s, packed AS p, unnest(p.keywords) AS k
      GROUP BY s.id, k.lexeme`,
    [plan.firstChunk, plan.lastChunk],
  );
}
