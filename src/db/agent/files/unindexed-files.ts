import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/** A file whose current text is missing in an index that is being built. */
export interface UnindexedFile {
  id: string;
  path: string;
  content: string;
  hash: string;
}

/**
 * Returns files whose current text is missing in a generation that is being built, in order of
 * their ids, after `afterId`, up to about `maxBytes`.
 */
export async function unindexedFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  page: { afterId: string; limit: number; maxBytes: number },
): Promise<UnindexedFile[]> {
  const { rows } = await sql.executeSql<UnindexedFile>(
    // The first file is always returned, however large it is. PGlite drops a byte order mark at the
    // beginning of a value.
    `SELECT id, path, '=' || content AS content, hash
       FROM (
         SELECT id, path, content, content_hash AS hash,
                sum(size_bytes) OVER (ORDER BY id) - size_bytes AS before
           FROM (
             SELECT *
               FROM ${schema}.files
              WHERE indexed_generation IS DISTINCT FROM $1
                AND id > $2
              ORDER BY id
              LIMIT $3) AS page) AS sized
      WHERE before < $4
      ORDER BY id`,
    [generationId, page.afterId, page.limit, page.maxBytes],
  );
  return rows.map((row) => ({ ...row, content: row.content.slice(1) }));
}

/**
 * Returns the ids of the files whose hash has not changed since they were read, and locks these
 * files until the transaction ends.
 */
export async function lockUnchanged(
  sql: SqlExecutor,
  schema: SchemaName,
  files: readonly { id: string; hash: string }[],
): Promise<Set<string>> {
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT f.id
       FROM ${schema}.files f
       JOIN unnest($1::bigint[], $2::text[]) AS n (id, hash) ON n.id = f.id
      WHERE f.content_hash = n.hash
      ORDER BY f.path
        FOR UPDATE OF f`,
    [files.map((file) => file.id), files.map((file) => file.hash)],
  );
  return new Set(rows.map((row) => row.id));
}

export async function markIndexed(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  ids: readonly string[],
): Promise<void> {
  await sql.executeSql(`UPDATE ${schema}.files SET indexed_generation = $1 WHERE id = ANY($2::bigint[])`, [
    generationId,
    ids,
  ]);
}

/** Counts the files, and the files whose current text a generation has. */
export async function countIndexed(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
): Promise<{ files: number; indexed: number }> {
  const { rows } = await sql.executeSql<{ files: number; indexed: number }>(
    `SELECT count(*)::int AS files, count(*) FILTER (WHERE indexed_generation = $1)::int AS indexed
       FROM ${schema}.files`,
    [generationId],
  );
  return rows[0] ?? { files: 0, indexed: 0 };
}
