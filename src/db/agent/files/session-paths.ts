import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/**
 * Locks paths that both a file and a session could have until the transaction ends. Without this
 * lock, two transactions that create a file and a session with the same path at once would not see
 * each other's row.
 */
export async function holdPaths(sql: SqlExecutor, schema: SchemaName, paths: readonly string[]): Promise<void> {
  await sql.executeSql(
    `SELECT count(pg_advisory_xact_lock(hashtextextended($1 || p.path, 0)))
       FROM (
         SELECT path
           FROM unnest($2::text[]) AS path
          ORDER BY path COLLATE "C"
         OFFSET 0) AS p`,
    [schema, paths],
  );
}

/** Returns whether one of these paths has a file. */
export async function someFileAt(sql: SqlExecutor, schema: SchemaName, paths: readonly string[]): Promise<boolean> {
  const { rows } = await sql.executeSql(`SELECT 1 FROM ${schema}.files WHERE path = ANY($1::text[]) LIMIT 1`, [paths]);
  return rows.length > 0;
}

/** Returns whether one of these sessions exists. */
export async function someSessionOf(sql: SqlExecutor, schema: SchemaName, keys: readonly string[]): Promise<boolean> {
  const { rows } = await sql.executeSql(`SELECT 1 FROM ${schema}.sessions WHERE key = ANY($1::text[]) LIMIT 1`, [keys]);
  return rows.length > 0;
}

/**
 * Returns SQL for the path of a session: its key, percent-encoded if the key is no valid path.
 * `sessionPath` is the same in TypeScript; a test compares the two.
 */
export function sessionPathSql(key: string): string {
  const encoded = `replace(replace(replace(${key}, '%', '%25'), '/', '%2F'), '\\', '%5C')`;
  return `'sessions/' || CASE WHEN ${key} ~ '^%:|\\\\|(^|/)[.]{0,2}(/|$)' THEN '%:' || ${encoded} ELSE ${key} END`;
}
