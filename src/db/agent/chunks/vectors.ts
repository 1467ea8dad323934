import type { SqlExecutor } from "../../database.ts";
import { encodeVectors } from "../../vector-codec.ts";
import { type VectorTable, vectorType } from "../schema/generation-tables.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { SOURCE_NUMBER } from "../schema/source-number.ts";

export interface PendingChunk {
  id: string;
  hash: string;
  heading: string;
  text: string;
}

interface PendingPage {
  afterId: string;
  limit: number;
}

/** Returns the next chunks without an embedding after a given chunk, oldest first. */
export function pendingChunks(sql: SqlExecutor, table: VectorTable, page: PendingPage): Promise<PendingChunk[]> {
  return nextPending(sql, table, page, "c.id, c.hash, c.heading, c.text");
}

/** Returns the chunks that `pendingChunks` returns, without their texts. */
export function pendingHashes(
  sql: SqlExecutor,
  table: VectorTable,
  page: PendingPage,
): Promise<Pick<PendingChunk, "id" | "hash">[]> {
  return nextPending(sql, table, page, "c.id, c.hash");
}

async function nextPending<R extends Pick<PendingChunk, "id" | "hash">>(
  sql: SqlExecutor,
  { schema, generationId }: VectorTable,
  { afterId, limit }: PendingPage,
  columns: string,
): Promise<R[]> {
  const { rows } = await sql.executeSql<R>(
    `SELECT ${columns}
       FROM (
         SELECT chunk_id
           FROM ${schema}.vectors_${generationId}
          WHERE embedding IS NULL
            AND rejected IS NULL
            AND chunk_id > $2
          ORDER BY chunk_id
          LIMIT $1) v
       JOIN ${schema}.chunks_${generationId} c ON c.id = v.chunk_id
      ORDER BY c.id`,
    [limit, afterId],
  );
  return rows;
}

/** Returns how many chunks have an embedding. */
export async function countEmbedded(sql: SqlExecutor, { schema, generationId }: VectorTable): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM ${schema}.vectors_${generationId}
      WHERE embedding IS NOT NULL`,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Returns a sample of texts of embedded chunks, the same sample on each call. Excludes facts that
 * no longer hold, because their versions are much alike.
 */
export async function drawEmbedded(
  sql: SqlExecutor,
  table: VectorTable,
  limit: number,
): Promise<{ heading: string; text: string }[]> {
  const { rows } = await sql.executeSql<{ heading: string; text: string }>(
    `SELECT c.heading, c.text
       FROM (
         SELECT chunk_id
           FROM ${table.schema}.vectors_${table.generationId}
          WHERE embedding IS NOT NULL
            AND source <> ${SOURCE_NUMBER.pastFacts}
          ORDER BY hashint8(chunk_id), chunk_id
          LIMIT $1) v
       JOIN ${table.schema}.chunks_${table.generationId} c ON c.id = v.chunk_id
      ORDER BY hashint8(c.id), c.id`,
    [limit],
  );
  return rows;
}

/**
 * Stores embeddings of chunks that still lack one, and returns how many were stored. A chunk that
 * was deleted meanwhile is skipped.
 */
export async function storeEmbeddings(
  sql: SqlExecutor,
  table: VectorTable,
  rows: readonly { chunkId: string; embedding: Float32Array }[],
): Promise<number> {
  const { rows: stored } = await sql.executeSql(
    `UPDATE ${table.schema}.vectors_${table.generationId} v
        SET embedding = n.embedding::${vectorType(table)}
       FROM unnest($1::bigint[], $2::vector[]) AS n (chunk_id, embedding)
      WHERE v.chunk_id = n.chunk_id
        AND v.embedding IS NULL
     RETURNING v.chunk_id`,
    [rows.map((row) => row.chunkId), encodeVectors(rows.map((row) => row.embedding))],
  );
  return stored.length;
}

/** Records that the provider refused these chunks, so that later jobs skip them. */
export async function markRejected(
  sql: SqlExecutor,
  table: VectorTable,
  chunkIds: readonly string[],
  reason: string,
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${table.schema}.vectors_${table.generationId}
        SET rejected = $2
      WHERE chunk_id = ANY($1::bigint[])
        AND embedding IS NULL`,
    [chunkIds, reason],
  );
}

/**
 * Clears the refusals of a generation, so that the texts are sent to the provider again.
 *
 * @returns how many chunks were refused
 */
export async function clearRejected(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<number> {
  const { rows } = await sql.executeSql(
    `UPDATE ${schema}.vectors_${generationId}
        SET rejected = NULL
      WHERE rejected IS NOT NULL
     RETURNING chunk_id`,
  );
  return rows.length;
}

/** Returns how many chunks of a generation still wait for their embedding. */
export async function countPending(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM ${schema}.vectors_${generationId}
      WHERE embedding IS NULL
        AND rejected IS NULL`,
  );
  return rows[0]?.count ?? 0;
}

/** Returns how many chunks of a generation have an embedding, counted up to `most`. */
export async function countEmbeddedUpTo(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  most: number,
): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM (
         SELECT 1
           FROM ${schema}.vectors_${generationId}
          WHERE embedding IS NOT NULL
          LIMIT $1) v`,
    [most],
  );
  return rows[0]?.count ?? 0;
}

/**
 * The sizes of samples: the chunks whose cosines are measured, the chunks they are compared with,
 * and the chunks whose centre is computed.
 */
const COMPARED = 16;
const COMPARED_WITH = 500;
const CENTRED = 2000;

/** The measured properties of an index's vectors. */
export interface MeasuredCosines {
  /** The number of chunks that have an embedding. */
  count: number;
  /**
   * The standard deviation of a chunk's cosines with other chunks; undefined when there are too
   * few.
   */
  deviation: number | undefined;
  /**
   * The mean of the vectors, each normalised to length one, as pgvector writes it; undefined when
   * there is none.
   */
  centre: string | undefined;
}

/**
 * Measures how cosines between texts of this index vary, from a sample of at most 8,000 cosines.
 * The deviation distinguishes the scales of different models. Copies of a text count once. Also measures the centre of the
 * vectors, from which a search computes the mean of their cosines with a question.
 */
export async function measureCosines(
  sql: SqlExecutor,
  { schema, generationId }: VectorTable,
): Promise<MeasuredCosines> {
  const vectors = `${schema}.vectors_${generationId}`;
  const { rows } = await sql.executeSql<{ count: number; deviation: number | null; centre: string | null }>(
    `WITH embedded AS MATERIALIZED (
       SELECT chunk_id, source
         FROM ${vectors}
        WHERE embedding IS NOT NULL
     ), drawn AS MATERIALIZED (
       SELECT chunk_id
         FROM embedded
        WHERE source <> ${SOURCE_NUMBER.pastFacts}
        ORDER BY hashint8(chunk_id), chunk_id
        LIMIT ${CENTRED}
     ), centred AS MATERIALIZED (
       SELECT v.chunk_id, v.embedding
         FROM drawn
         JOIN ${vectors} v USING (chunk_id)
     ), texts AS MATERIALIZED (
       SELECT DISTINCT ON (embedding) chunk_id, embedding
         FROM centred
        ORDER BY embedding, chunk_id
     ), others AS MATERIALIZED (
       SELECT *
         FROM texts
        ORDER BY hashint8(chunk_id), chunk_id
        LIMIT ${COMPARED_WITH}
     ), compared AS MATERIALIZED (
       SELECT *
         FROM others
        ORDER BY hashint8(chunk_id), chunk_id
        LIMIT ${COMPARED}
     )
     SELECT (SELECT count(*)::int FROM embedded) AS count, sqrt(avg(variance)) AS deviation,
            (SELECT avg(l2_normalize(embedding::vector))::text FROM centred) AS centre
       FROM (
         SELECT var_pop(1 - (s.embedding <=> o.embedding)) AS variance
           FROM compared s
           JOIN others o ON o.chunk_id <> s.chunk_id
          GROUP BY s.chunk_id) AS deviations`,
    [],
  );
  const { count = 0, deviation = null, centre = null } = rows[0] ?? {};
  return {
    count,
    deviation: deviation === null || deviation <= 0 ? undefined : deviation,
    centre: centre ?? undefined,
  };
}

/**
 * Stores the deviation and the centre of a generation's vectors, and invalidates cached answers,
 * which were scored with other values.
 */
export async function noteCosines(
  sql: SqlExecutor,
  schema: SchemaName,
  id: number,
  { count, deviation, centre }: MeasuredCosines,
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.generations
        SET cosine_deviation = $2, cosine_count = $3, cosine_centre = $4::vector,
            changes = changes + 1
      WHERE id = $1`,
    [id, deviation ?? null, count, centre ?? null],
  );
}
