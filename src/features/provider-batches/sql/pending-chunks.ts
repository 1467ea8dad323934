import type { PendingChunk } from "../../../db/agent/chunks/vectors.ts";
import type { VectorTable } from "../../../db/agent/schema/generation-tables.ts";
import type { SqlExecutor } from "../../../db/database.ts";

const PENDING = "v.embedding IS NULL AND v.rejected IS NULL";

/**
 * Returns chunks after `afterId` that still need an embedding, oldest first: their ids, hashes and
 * sizes, without their texts.
 */
export async function pendingAfter(
  sql: SqlExecutor,
  table: VectorTable,
  page: { afterId: string; limit: number },
): Promise<{ id: string; hash: string; bytes: number }[]> {
  const { rows } = await sql.executeSql<{ id: string; hash: string; bytes: number }>(
    `SELECT c.id, c.hash, octet_length(c.text) + octet_length(c.heading) AS bytes
       FROM (
         SELECT v.chunk_id
           FROM ${vectors(table)} v
          WHERE ${PENDING}
            AND v.chunk_id > $1
          ORDER BY v.chunk_id
          LIMIT $2) v
       JOIN ${chunks(table)} c ON c.id = v.chunk_id
      ORDER BY c.id`,
    [page.afterId, page.limit],
  );
  return rows;
}

/** Returns how many chunks after `afterId` still need an embedding, counted up to `most`. */
export async function countPendingAfter(
  sql: SqlExecutor,
  table: VectorTable,
  afterId: string,
  most: number,
): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM (
         SELECT 1
           FROM ${vectors(table)} v
          WHERE ${PENDING}
            AND v.chunk_id > $1
          LIMIT $2) v`,
    [afterId, most],
  );
  return rows[0]?.count ?? 0;
}

/** Returns the id of the newest chunk that still needs an embedding; 0 when there is none. */
export async function lastPending(sql: SqlExecutor, table: VectorTable): Promise<number> {
  const { rows } = await sql.executeSql<{ id: string | null }>(
    `SELECT max(v.chunk_id) AS id FROM ${vectors(table)} v WHERE ${PENDING}`,
  );
  return Number(rows[0]?.id ?? 0);
}

/** Returns the chunks among these ids that still need an embedding, with their texts. */
export async function pendingChunksOf(
  sql: SqlExecutor,
  table: VectorTable,
  ids: readonly string[],
): Promise<PendingChunk[]> {
  const { rows } = await sql.executeSql<PendingChunk>(
    `SELECT c.id, c.hash, c.heading, c.text
       FROM ${vectors(table)} v
       JOIN ${chunks(table)} c ON c.id = v.chunk_id
      WHERE v.chunk_id = ANY($1::bigint[])
        AND ${PENDING}
      ORDER BY c.id`,
    [ids],
  );
  return rows;
}

/** Returns, for each of these texts that still needs an embedding, one of its chunks. */
export async function pendingTexts(
  sql: SqlExecutor,
  table: VectorTable,
  hashes: readonly string[],
): Promise<PendingChunk[]> {
  const { rows } = await sql.executeSql<PendingChunk>(
    `SELECT DISTINCT ON (c.hash) c.id, c.hash, c.heading, c.text
       FROM ${vectors(table)} v
       JOIN ${chunks(table)} c ON c.id = v.chunk_id
      WHERE ${PENDING}
        AND c.hash = ANY($1::text[])
      ORDER BY c.hash, c.id`,
    [hashes],
  );
  return rows;
}

/** Returns the chunks that wait for the embeddings of these texts. */
export async function pendingOfHashes(
  sql: SqlExecutor,
  table: VectorTable,
  hashes: readonly string[],
): Promise<{ id: string; hash: string }[]> {
  const { rows } = await sql.executeSql<{ id: string; hash: string }>(
    `SELECT c.id, c.hash
       FROM ${vectors(table)} v
       JOIN ${chunks(table)} c ON c.id = v.chunk_id
      WHERE v.embedding IS NULL
        AND c.hash = ANY($1::text[])`,
    [hashes],
  );
  return rows;
}

function vectors(table: VectorTable): string {
  return `${table.schema}.vectors_${table.generationId}`;
}

function chunks(table: VectorTable): string {
  return `${table.schema}.chunks_${table.generationId}`;
}
