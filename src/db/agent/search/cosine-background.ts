import type { SqlExecutor } from "../../database.ts";
import { statedLimit } from "../chunks/vectors.ts";
import { type VectorTable, vectorParameter } from "../space/generation-tables.ts";
import { SOURCE_NUMBER } from "../space/source-number.ts";

/** What cosines with a query look like in an index: their number, mean and standard deviation. */
export interface CosineBackground {
  count: number;
  mean: number;
  deviation: number;
}

/** So many chunks tell mean and deviation of the cosines to within a few percent. */
const SAMPLE = 1000;
/** Up to so many the scan that finds the nearest tells of all of them, in less time than a sample takes besides. */
export const MAX_SCANNED = 2 * SAMPLE;

/** Versions of a fact are near to each other, and would make what holds now seem near by chance. */
const IS_NOT_PAST = `source <> ${SOURCE_NUMBER.pastFacts}`;

interface Sampled {
  count: number;
  mean: number | null;
  deviation: number | null;
}

/**
 * The chunks nearest to a query vector, best first, and what its cosines look like in the whole index: one scan of an index that
 * is small. Of 1,000 chunks it takes Postgres 0.50 ms in place of 0.75, of an agent that was not asked just now 0.82 in place
 * of 1.41.
 */
export async function nearestWithBackground(
  sql: SqlExecutor,
  { schema, generationId, dimensions }: VectorTable,
  query: { vector: Uint8Array; limit: number; sources: readonly number[] },
): Promise<{ hits: { chunkId: string; similarity: number }[]; background: CosineBackground }> {
  const { rows } = await sql.executeSql<Sampled & { chunkId: string; similarity: number }>(
    `WITH scored AS MATERIALIZED (
       SELECT chunk_id, source, embedding <=> ${vectorParameter(1, dimensions)} AS distance
         FROM ${schema}.vectors_${generationId} WHERE embedding IS NOT NULL
     ), background AS MATERIALIZED (${momentsSql("1 - distance", `scored WHERE ${IS_NOT_PAST}`)})
     SELECT n.chunk_id AS "chunkId", 1 - n.distance AS similarity, b.count, b.mean, b.deviation
       FROM (SELECT * FROM scored WHERE source = ANY($2::smallint[])
              ORDER BY distance, chunk_id LIMIT ${statedLimit(query.limit)}) AS n, background AS b
      ORDER BY n.distance, n.chunk_id`,
    [query.vector, query.sources],
    { prepare: true },
  );
  const hits = rows.slice(0, query.limit).map(({ chunkId, similarity }) => ({ chunkId, similarity }));
  return { hits, background: backgroundOf(rows[0]) };
}

/**
 * What cosines with the query look like in this index, from about a thousand of its `chunks`: pages drawn with a fixed seed,
 * so that a search repeats exactly.
 */
export async function cosineBackground(
  sql: SqlExecutor,
  table: VectorTable,
  vector: Uint8Array,
  chunks: number,
): Promise<CosineBackground> {
  const percent = Math.min(100, (100 * SAMPLE) / Math.max(1, chunks));
  // With a limit each cosine is computed once, not for both of its uses, and an index that was never counted is not read whole.
  const { rows } = await sql.executeSql<Sampled>(
    momentsSql(
      "similarity",
      `(SELECT 1 - (embedding <=> ${vectorParameter(1, table.dimensions)}) AS similarity
          FROM ${table.schema}.vectors_${table.generationId} TABLESAMPLE SYSTEM ($2::float4) REPEATABLE (0)
         WHERE embedding IS NOT NULL AND ${IS_NOT_PAST} LIMIT ${MAX_SCANNED}) AS sample`,
    ),
    [vector, percent],
    { prepare: true },
  );
  return backgroundOf(rows[0]);
}

/** Chunks that are compared with others to learn how cosines vary, and others. */
const COMPARED = 16;
const COMPARED_WITH = 500;

/**
 * How cosines between texts of this index vary: the standard deviation of a chunk's cosines with others, over some chunks. It is
 * what tells one model's scale from another's. 8,000 cosines at most.
 *
 * @returns the number of chunks that have an embedding, and the deviation, undefined when these are too few
 */
export async function measureDeviation(
  sql: SqlExecutor,
  { schema, generationId }: VectorTable,
): Promise<{ count: number; deviation: number | undefined }> {
  const vectors = `${schema}.vectors_${generationId}`;
  const { rows } = await sql.executeSql<{ count: number; deviation: number | null }>(
    `WITH embedded AS MATERIALIZED (SELECT chunk_id, source FROM ${vectors} WHERE embedding IS NOT NULL),
     drawn AS MATERIALIZED (SELECT chunk_id FROM embedded WHERE ${IS_NOT_PAST} ORDER BY hashint8(chunk_id), chunk_id LIMIT ${COMPARED_WITH}),
     others AS MATERIALIZED (SELECT v.chunk_id, v.embedding FROM drawn JOIN ${vectors} v USING (chunk_id)),
     compared AS MATERIALIZED (SELECT * FROM others ORDER BY hashint8(chunk_id), chunk_id LIMIT ${COMPARED})
     SELECT (SELECT count(*)::int FROM embedded) AS count, sqrt(avg(variance)) AS deviation
       FROM (SELECT var_pop(1 - (s.embedding <=> o.embedding)) AS variance
               FROM compared s JOIN others o ON o.chunk_id <> s.chunk_id GROUP BY s.chunk_id) AS deviations`,
    [],
  );
  const { count = 0, deviation = null } = rows[0] ?? {};
  return { count, deviation: deviation === null || deviation <= 0 ? undefined : deviation };
}

function momentsSql(similarity: string, from: string): string {
  return `SELECT count(*)::int AS count, avg(${similarity}) AS mean, stddev_pop(${similarity}) AS deviation FROM ${from}`;
}

function backgroundOf(sample: Sampled | undefined): CosineBackground {
  return { count: sample?.count ?? 0, mean: sample?.mean ?? 0, deviation: sample?.deviation ?? 0 };
}
