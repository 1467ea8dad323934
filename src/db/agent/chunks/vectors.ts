import type { SqlExecutor } from "../../database.ts";
import { encodeVectors } from "../../vector-codec.ts";
import { type FactFilter, factCondition } from "../facts/fact-filter.ts";
import { type VectorTable, vectorParameter, vectorType } from "../space/generation-tables.ts";
import type { SchemaName } from "../space/schema-name.ts";
import { SOURCE_NUMBER } from "../space/source-number.ts";
import { passing, type SearchFilter } from "./search-filter.ts";

export interface PendingChunk {
  id: string;
  hash: string;
  heading: string;
  text: string;
}

/** The next chunks without an embedding after one of them, oldest first. */
export async function pendingChunks(
  sql: SqlExecutor,
  table: VectorTable,
  page: { afterId: string; limit: number },
): Promise<PendingChunk[]> {
  const { rows } = await sql.executeSql<PendingChunk>(
    `SELECT c.id, c.hash, c.heading, c.text
       FROM (SELECT chunk_id FROM ${table.schema}.vectors_${table.generationId}
              WHERE embedding IS NULL AND rejected IS NULL AND chunk_id > $2 ORDER BY chunk_id LIMIT $1) v
       JOIN ${table.schema}.chunks_${table.generationId} c ON c.id = v.chunk_id ORDER BY c.id`,
    [page.limit, page.afterId],
  );
  return rows;
}

/** How many chunks have an embedding. */
export async function countEmbedded(sql: SqlExecutor, { schema, generationId }: VectorTable): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${schema}.vectors_${generationId} WHERE embedding IS NOT NULL`,
  );
  return rows[0]?.count ?? 0;
}

/** Texts of embedded chunks, drawn so that a repetition draws the same; none of facts that are over, which are much alike. */
export async function drawEmbedded(
  sql: SqlExecutor,
  table: VectorTable,
  limit: number,
): Promise<{ heading: string; text: string }[]> {
  const { rows } = await sql.executeSql<{ heading: string; text: string }>(
    `SELECT c.heading, c.text
       FROM (SELECT chunk_id FROM ${table.schema}.vectors_${table.generationId}
              WHERE embedding IS NOT NULL AND source <> ${SOURCE_NUMBER.pastFacts}
              ORDER BY hashint8(chunk_id), chunk_id LIMIT $1) v
       JOIN ${table.schema}.chunks_${table.generationId} c ON c.id = v.chunk_id ORDER BY hashint8(c.id), c.id`,
    [limit],
  );
  return rows;
}

/** Stores embeddings of chunks that still lack one; a chunk deleted meanwhile is left out. Returns how many were stored. */
export async function storeEmbeddings(
  sql: SqlExecutor,
  table: VectorTable,
  rows: readonly { chunkId: string; embedding: Float32Array }[],
): Promise<number> {
  const { rows: stored } = await sql.executeSql(
    `UPDATE ${table.schema}.vectors_${table.generationId} v SET embedding = n.embedding::${vectorType(table.dimensions)}
       FROM unnest($1::bigint[], $2::vector[]) AS n (chunk_id, embedding)
      WHERE v.chunk_id = n.chunk_id AND v.embedding IS NULL RETURNING v.chunk_id`,
    [rows.map((row) => row.chunkId), encodeVectors(rows.map((row) => row.embedding))],
  );
  return stored.length;
}

/** Notes that the provider will never embed these chunks, so that they do not come back with every job. */
export async function markRejected(
  sql: SqlExecutor,
  table: VectorTable,
  chunkIds: readonly string[],
  reason: string,
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${table.schema}.vectors_${table.generationId} SET rejected = $2
      WHERE chunk_id = ANY($1::bigint[]) AND embedding IS NULL`,
    [chunkIds, reason],
  );
}

/** Lets texts that the provider refused be asked for again. @returns how many there were */
export async function clearRejected(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<number> {
  const { rows } = await sql.executeSql(
    `UPDATE ${schema}.vectors_${generationId} SET rejected = NULL WHERE rejected IS NOT NULL RETURNING chunk_id`,
  );
  return rows.length;
}

/** How many chunks of a generation still wait for their embedding. */
export async function countPending(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${schema}.vectors_${generationId} WHERE embedding IS NULL AND rejected IS NULL`,
  );
  return rows[0]?.count ?? 0;
}

/** The limit stands in the text: a plan for any limit reads all vectors. Few limits, so that few statements are prepared. */
const LIMITS = [32, 64, 128];

export function statedLimit(wanted: number): number {
  return LIMITS.find((limit) => limit >= wanted) ?? Math.trunc(wanted);
}

/** The chunks nearest to a query vector, with their cosine similarity (1 is the same direction), best first. */
export async function vectorCandidates(
  sql: SqlExecutor,
  table: VectorTable,
  query: { vector: Uint8Array; limit: number; sources: readonly number[]; filter?: SearchFilter | undefined },
): Promise<{ chunkId: string; similarity: number }[]> {
  const { facts, chunkIds } = query.filter ?? {};
  if (chunkIds || facts?.few) return nearestOfFew(sql, table, query, facts ?? chunkIds ?? []);
  const values: unknown[] = [query.vector, query.sources];
  const filter = passing(table, query.filter, "chunk_id", values);
  const asked = vectorParameter(1, table.dimensions);
  const { rows } = await sql.executeSql<{ chunkId: string; similarity: number }>(
    `SELECT chunk_id AS "chunkId", 1 - distance AS similarity
       FROM (SELECT chunk_id, embedding <=> ${asked} AS distance
               FROM ${table.schema}.vectors_${table.generationId}
              WHERE embedding IS NOT NULL AND source = ANY($2::smallint[])${filter}
              ORDER BY embedding <=> ${asked} LIMIT ${statedLimit(query.limit)}) AS nearest
      ORDER BY distance, chunk_id`,
    values,
    // With a filter the best plan depends on it.
    filter === "" ? { prepare: true } : {},
  );
  return rows.slice(0, query.limit);
}

/**
 * The same among few, facts or given chunks: each that passes is compared. A scan of the index of all vectors would go through
 * the others before it has enough of them.
 */
async function nearestOfFew(
  sql: SqlExecutor,
  { schema, generationId, dimensions }: VectorTable,
  query: { vector: Uint8Array; limit: number },
  few: FactFilter | readonly string[],
): Promise<{ chunkId: string; similarity: number }[]> {
  const values: unknown[] = [query.vector, query.limit];
  const passing = isList(few)
    ? `SELECT unnest($${values.push(few)}::bigint[]) AS id`
    : `SELECT c.id FROM ${schema}.facts x JOIN ${schema}.chunks_${generationId} c ON c.fact_id = x.id
        WHERE ${factCondition("x", few, values)}`;
  const { rows } = await sql.executeSql<{ chunkId: string; similarity: number }>(
    `WITH passing AS MATERIALIZED (${passing})
     SELECT v.chunk_id AS "chunkId", 1 - (v.embedding <=> ${vectorParameter(1, dimensions)}) AS similarity
       FROM passing p JOIN ${schema}.vectors_${generationId} v ON v.chunk_id = p.id
      WHERE v.embedding IS NOT NULL ORDER BY similarity DESC, v.chunk_id LIMIT $2`,
    values,
  );
  return rows;
}

function isList(few: FactFilter | readonly string[]): few is readonly string[] {
  return Array.isArray(few);
}
