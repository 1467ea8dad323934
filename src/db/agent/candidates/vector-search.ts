import type { SqlExecutor } from "../../database.ts";
import { passing, type SearchFilter } from "../chunks/search-filter.ts";
import { type FactFilter, factCondition } from "../facts/fact-filter.ts";
import { type VectorTable, vectorParameter } from "../schema/generation-tables.ts";
import { SOURCE_NUMBER } from "../schema/source-number.ts";

/**
 * The limits that a statement may have. The limit stands in the text because a plan for any limit
 * reads all vectors. There are few limits, so that few statements are prepared.
 */
const LIMITS = [32, 64, 128];

export function statedLimit(wanted: number): number {
  return LIMITS.find((limit) => limit >= wanted) ?? Math.trunc(wanted);
}

/**
 * Returns the chunks nearest to a query vector, with their cosine similarity (1 is the same
 * direction), best first.
 */
export async function vectorCandidates(
  sql: SqlExecutor,
  table: VectorTable,
  query: { vector: Uint8Array; limit: number; sources: readonly number[]; filter?: SearchFilter | undefined },
): Promise<{ chunkId: string; similarity: number }[]> {
  const { facts, chunkIds } = query.filter ?? {};
  if (chunkIds || facts?.few) return nearestOfFew(sql, table, query, facts ?? chunkIds ?? []);
  const values: unknown[] = [query.vector, query.sources];
  const filter = passing(table, query.filter, "chunk_id", values);
  const asked = vectorParameter(1, table);
  const { rows } = await sql.executeSql<{ chunkId: string; similarity: number }>(
    `SELECT chunk_id AS "chunkId", 1 - distance AS similarity
       FROM (
         SELECT chunk_id, embedding <=> ${asked} AS distance
           FROM ${table.schema}.vectors_${table.generationId}
          WHERE embedding IS NOT NULL
            AND source = ANY($2::smallint[])${filter}
          ORDER BY embedding <=> ${asked}
          LIMIT ${statedLimit(query.limit)}) AS nearest
      ORDER BY distance, chunk_id`,
    values,
    // With a filter the best plan depends on the filter's values.
    filter === "" ? { prepare: true } : {},
  );
  return rows.slice(0, query.limit);
}

/**
 * Returns the nearest of few chunks, of facts or given ids, by comparing each. A scan of the index
 * of all vectors would go through the other chunks before it has enough of these.
 */
async function nearestOfFew(
  sql: SqlExecutor,
  table: VectorTable,
  query: { vector: Uint8Array; limit: number },
  few: FactFilter | readonly string[],
): Promise<{ chunkId: string; similarity: number }[]> {
  const { schema, generationId } = table;
  const values: unknown[] = [query.vector, query.limit];
  const passing = isList(few)
    ? `SELECT unnest($${values.push(few)}::bigint[]) AS id`
    : `SELECT c.id
        FROM ${schema}.facts x
        JOIN ${schema}.chunks_${generationId} c ON c.fact_id = x.id
       WHERE ${factCondition("x", few, values)}`;
  const { rows } = await sql.executeSql<{ chunkId: string; similarity: number }>(
    `WITH passing AS MATERIALIZED (${passing})
     SELECT v.chunk_id AS "chunkId",
            1 - (v.embedding <=> ${vectorParameter(1, table)}) AS similarity
       FROM passing p
       JOIN ${schema}.vectors_${generationId} v ON v.chunk_id = p.id
      WHERE v.embedding IS NOT NULL
      ORDER BY similarity DESC, v.chunk_id
      LIMIT $2`,
    values,
  );
  return rows;
}

function isList(few: FactFilter | readonly string[]): few is readonly string[] {
  return Array.isArray(few);
}

/**
 * The distribution of the cosines with a query in an index: their number, mean and standard
 * deviation. Copies of a text count once. Without that, a user who asked the same question in several
 * conversations found nothing: copies of the question raised the cosines that occur by chance.
 */
export interface CosineBackground {
  count: number;
  /** The number of chunks with these cosines. */
  chunks: number;
  mean: number;
  deviation: number;
  /**
   * The deviation computed from the middle half of the cosines, which good matches do not widen;
   * undefined when no sample was taken.
   */
  spread?: number | undefined;
}

/** The size of a sample that gives mean and deviation of the cosines to within a few percent. */
const SAMPLE = 1000;
/**
 * Up to this many chunks, the scan that finds the nearest ones also measures all cosines, in less
 * time than a separate sample takes.
 */
export const MAX_SCANNED = 2 * SAMPLE;

/**
 * A condition that leaves out past facts. Versions of a fact are near to each other, and would make
 * present facts seem near by chance.
 */
const IS_NOT_PAST = `source <> ${SOURCE_NUMBER.pastFacts}`;

/** The row that `momentsSql` returns. */
export interface Sampled {
  count: number;
  chunks: number | null;
  mean: number | null;
  deviation: number | null;
  spread: number | null;
}

/**
 * Returns the chunks nearest to a query vector, best first, and the distribution of the query's
 * cosines in the whole index, by one scan of a small index. For 1,000 chunks Postgres takes 0.50 ms
 * instead of 0.75 ms, and for an agent that was not queried just before 0.82 ms instead of 1.41 ms.
 */
export async function nearestWithBackground(
  sql: SqlExecutor,
  table: VectorTable,
  query: { vector: Uint8Array; limit: number; sources: readonly number[] },
): Promise<{ hits: { chunkId: string; similarity: number }[]; background: CosineBackground }> {
  const { schema, generationId } = table;
  const { rows } = await sql.executeSql<Sampled & { chunkId: string; similarity: number }>(
    `WITH scored AS MATERIALIZED (
       SELECT chunk_id, source, embedding, embedding <=> ${vectorParameter(1, table)} AS distance
         FROM ${schema}.vectors_${generationId}
        WHERE embedding IS NOT NULL
     ), background AS MATERIALIZED (${momentsSql("1 - distance", `scored WHERE ${IS_NOT_PAST}`)})
     SELECT n.chunk_id AS "chunkId", 1 - n.distance AS similarity, b.count, b.chunks, b.mean, b.deviation,
            b.spread
       FROM (
         SELECT *
           FROM scored
          WHERE source = ANY($2::smallint[])
          ORDER BY distance, chunk_id
          LIMIT ${statedLimit(query.limit)}) AS n,
            background AS b
      ORDER BY n.distance, n.chunk_id`,
    [query.vector, query.sources],
    { prepare: true },
  );
  const hits = rows.slice(0, query.limit).map(({ chunkId, similarity }) => ({ chunkId, similarity }));
  return { hits, background: backgroundOf(rows[0]) };
}

/**
 * Returns the distribution of the query's cosines in this index, from about a thousand of its
 * `chunks`. The pages are drawn with a fixed seed, so that a repeated search gives the same result.
 */
export async function cosineBackground(
  sql: SqlExecutor,
  table: VectorTable,
  vector: Uint8Array,
  chunks: number,
): Promise<CosineBackground> {
  const percent = sampledPercent(chunks);
  // With a limit, Postgres computes each cosine once instead of once for each of its uses, and does
  // not read the whole of an index that was never counted.
  const { rows } = await sql.executeSql<Sampled>(
    momentsSql(
      "similarity",
      `(SELECT embedding, 1 - (embedding <=> ${vectorParameter(1, table)}) AS similarity
          FROM ${table.schema}.vectors_${table.generationId} TABLESAMPLE SYSTEM (${percent}) REPEATABLE (0)
         WHERE embedding IS NOT NULL AND ${IS_NOT_PAST} LIMIT ${MAX_SCANNED}) AS sample`,
    ),
    [vector],
    { prepare: true },
  );
  return backgroundOf(rows[0]);
}

/**
 * Returns the percentage of pages to sample. It stands in the statement's text because Citus
 * accepts no parameter here. It grows in steps of a fifth, so that few statements are prepared.
 */
function sampledPercent(chunks: number): number {
  const share = Math.min(1, SAMPLE / Math.max(1, chunks));
  return Number((100 * 2 ** (Math.ceil(4 * Math.log2(share)) / 4)).toPrecision(6));
}

/**
 * Returns the mean of the index's cosines with the query, computed from the centre of its vectors:
 * one row instead of a thousand.
 */
export async function meanCosine(
  sql: SqlExecutor,
  { schema, generationId }: VectorTable,
  vector: Uint8Array,
): Promise<number> {
  const { rows } = await sql.executeSql<{ mean: number | null }>(
    `SELECT -(cosine_centre <#> $1::vector) / nullif(vector_norm($1::vector), 0) AS mean
       FROM ${schema}.generations
      WHERE id = $2`,
    [vector, generationId],
    { prepare: true },
  );
  return rows[0]?.mean ?? 0;
}

/** The width of the middle half of a normal distribution, in standard deviations. */
const QUARTILES_APART = 1.349;

/**
 * Returns the SELECT of the moments of cosines. Equal embeddings count once; they are compared only
 * where cosines are equal.
 *
 * @param from rows with the column `embedding`
 */
export function momentsSql(similarity: string, from: string): string {
  const quartile = (at: number) => `percentile_cont(${at}) WITHIN GROUP (ORDER BY cosine)`;
  return `SELECT count(*)::int AS count, sum(copies)::int AS chunks, avg(cosine) AS mean,
           stddev_pop(cosine) AS deviation,
           (${quartile(0.75)} - ${quartile(0.25)}) / ${QUARTILES_APART} AS spread
      FROM (SELECT ${similarity} AS cosine, count(*) AS copies FROM ${from} GROUP BY ${similarity}, embedding) AS texts`;
}

/** Turns the row of `momentsSql` into a background; a missing row means no cosines. */
export function backgroundOf(sample: Sampled | undefined): CosineBackground {
  const { count = 0, chunks, mean, deviation, spread } = sample ?? {};
  return { count, chunks: chunks ?? 0, mean: mean ?? 0, deviation: deviation ?? 0, spread: spread ?? undefined };
}
