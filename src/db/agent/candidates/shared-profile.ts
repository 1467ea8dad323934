import type { SqlExecutor } from "../../database.ts";
import { type SearchFilter, sharedSql } from "../chunks/search-filter.ts";
import type { KeywordTerm } from "../keyword/keyword-terms.ts";
import { type VectorTable, vectorParameter } from "../schema/generation-tables.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { backgroundOf, type CosineBackground, momentsSql, type Sampled } from "./vector-search.ts";

/**
 * The properties of an index's shared part that scores depend on. Chunks that were not shared when
 * it was measured have no influence on these values.
 */
export interface SharedProfile {
  /** The number of shared chunks. */
  chunks: number;
  averageLength: number;
  /**
   * The text search configurations that the shared chunks are stemmed in, the most frequent first.
   */
  languages: string[];
  /**
   * The standard deviation of cosines between shared texts; undefined when too few have an
   * embedding.
   */
  deviation?: number | undefined;
  /** The ids of all shared chunks, or of `MAX_SAMPLED` chosen by the hashes of their texts. */
  sample: string[];
}

/**
 * The most chunks in the sample, from which word counts and cosines are taken. If no more chunks
 * than this are shared, the search checks each one.
 */
export const MAX_SAMPLED = 2000;
const MAX_LANGUAGES = 8;

interface SharedIndex {
  schema: SchemaName;
  generationId: number;
}

/**
 * Measures the shared part of an index. The sample is drawn by the hashes of texts. A sample by
 * chunk ids would depend on the number of unshared chunks.
 */
export async function readSharedProfile(
  sql: SqlExecutor,
  index: SharedIndex & { language: string },
  filter: SearchFilter,
  sources: readonly number[],
): Promise<SharedProfile> {
  const values: unknown[] = [sources, index.language];
  const { rows } = await sql.executeSql<SharedProfile>(
    `WITH shared AS MATERIALIZED (
       SELECT c.id, c.length, c.hash, coalesce(c.language, $2) AS language
         FROM ${index.schema}.chunks_${index.generationId} AS c
        WHERE c.source = ANY($1::smallint[])${sharedSql(index, filter, values)}
     )
     SELECT count(*)::int AS chunks,
            greatest(coalesce(avg(length), 1), 1)::float8 AS "averageLength",
            ARRAY(
              SELECT language
                FROM shared
               GROUP BY language
               ORDER BY count(*) DESC, language
               LIMIT ${MAX_LANGUAGES}) AS languages,
            ARRAY(
              SELECT id::text
                FROM shared
               ORDER BY hash, id
               LIMIT ${MAX_SAMPLED}) AS sample
       FROM shared`,
    values,
  );
  return rows[0] ?? { chunks: 0, averageLength: 1, languages: [], sample: [] };
}

/**
 * The sizes of samples: the chunks whose cosines are measured, and the chunks they are compared
 * with.
 */
const COMPARED = 16;
const COMPARED_WITH = 500;

/**
 * Returns the standard deviation of cosines between shared texts, as `measureCosines` does for a
 * whole index; undefined when too few texts have an embedding.
 */
export async function deviationOfSample(
  sql: SqlExecutor,
  { schema, generationId }: VectorTable,
  { sample }: SharedProfile,
): Promise<number | undefined> {
  const { rows } = await sql.executeSql<{ deviation: number | null }>(
    `WITH drawn AS MATERIALIZED (
       SELECT v.chunk_id, v.embedding, s.place
         FROM unnest($1::bigint[]) WITH ORDINALITY AS s (id, place)
         JOIN ${schema}.vectors_${generationId} v ON v.chunk_id = s.id
        WHERE v.embedding IS NOT NULL
        ORDER BY s.place
        LIMIT ${COMPARED_WITH}
     ), compared AS MATERIALIZED (
       SELECT *
         FROM drawn
        ORDER BY place
        LIMIT ${COMPARED}
     )
     SELECT sqrt(avg(variance ORDER BY place)) AS deviation
       FROM (
         SELECT s.place, var_pop(1 - (s.embedding <=> o.embedding) ORDER BY o.place) AS variance
           FROM compared s
           JOIN drawn o ON o.chunk_id <> s.chunk_id
          GROUP BY s.place) AS deviations`,
    [sample],
  );
  const deviation = rows[0]?.deviation ?? 0;
  return deviation > 0 ? deviation : undefined;
}

/**
 * Returns the terms with the number of shared chunks that have them. A word that is missing in the
 * sample counts as half as frequent as a word of a single chunk in the sample. As in
 * `resolveTerms`, all spellings of one concept get the count of the most common one.
 */
export async function countInSample(
  sql: SqlExecutor,
  { schema, generationId }: SharedIndex,
  { sample, chunks }: Pick<SharedProfile, "sample" | "chunks">,
  terms: readonly KeywordTerm[],
): Promise<KeywordTerm[]> {
  if (terms.length === 0 || sample.length === 0) return [];
  const values: unknown[] = [sample];
  const counts = terms.map(
    ({ operand }) => `count(*) FILTER (WHERE keywords @@ $${values.push(operand)}::tsquery)::int`,
  );
  const { rows } = await sql.executeSql<{ counts: number[] }>(
    `SELECT ARRAY[${counts.join(", ")}] AS counts
       FROM ${schema}.chunks_${generationId}
      WHERE id = ANY($1::bigint[])`,
    values,
  );
  const found = rows[0]?.counts ?? [];
  const least = sample.length < chunks ? 0.5 : 0;
  const counted = terms.map((term, n) => {
    const count = found[n] ?? 0;
    return { ...term, df: (Math.max(count, term.isPart ? 0 : least) * chunks) / sample.length };
  });
  return counted.map((term) => {
    if (term.prefix) return term;
    const same = counted.filter(({ concept, prefix }) => concept === term.concept && !prefix);
    return { ...term, df: Math.max(...same.map(({ df }) => df)) };
  });
}

/** Returns the distribution of a question's cosines with the sample. */
export async function cosinesOfSample(
  sql: SqlExecutor,
  table: VectorTable,
  { sample, chunks }: Pick<SharedProfile, "sample" | "chunks">,
  vector: Uint8Array,
): Promise<CosineBackground> {
  const { rows } = await sql.executeSql<Sampled>(
    momentsSql(
      "similarity",
      `(SELECT embedding, 1 - (embedding <=> ${vectorParameter(1, table)}) AS similarity
          FROM ${table.schema}.vectors_${table.generationId}
         WHERE chunk_id = ANY($2::bigint[]) AND embedding IS NOT NULL ORDER BY chunk_id) AS sample`,
    ),
    [vector, sample],
  );
  const background = backgroundOf(rows[0]);
  const share = sample.length === 0 ? 0 : chunks / sample.length;
  return { ...background, count: Math.round(background.count * share), chunks: Math.round(background.chunks * share) };
}
