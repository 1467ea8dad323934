import { originalSql } from "../../../db/agent/files/original.ts";
import type { RoleName, SchemaName } from "../../../db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../../db/database.ts";

/** A file of an extra path, as it was on the server's disk when it was read. */
export interface ExtraFile {
  path: string;
  size: number;
  mtime: Date;
}

/** The result of the last sync of one extra path in the settings. */
export interface ExtraPathRow {
  path: string;
  /** The file pattern; empty for the default. */
  pattern: string;
  files: number;
  skipped: number;
  failed: number;
  error: string | null;
  syncedAt: Date;
  /**
   * Size and time, by path, of files that turned out not to be text. They are not read again until
   * they change.
   */
  rejected: Record<string, string>;
}

/**
 * Returns one page of the files at absolute paths, in path order, after `after`. Only a sync writes
 * such files.
 */
export async function extraFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  after: string,
  limit: number,
): Promise<ExtraFile[]> {
  const { rows } = await sql.executeSql<ExtraFile>(
    // '0' is the byte after '/', so the condition is one range of the index.
    `SELECT path, coalesce((${originalSql()}->>'size')::int, size_bytes) AS size, mtime
       FROM ${schema}.files
      WHERE path > greatest($1, '/')
        AND path < '0'
      ORDER BY path
      LIMIT $2`,
    [after, limit],
  );
  return rows;
}

/** Changes the modification times of files whose contents stay the same. */
export async function setMtimes(
  sql: SqlExecutor,
  schema: SchemaName,
  files: readonly { path: string; mtime: Date }[],
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.files f
        SET mtime = n.mtime
       FROM unnest($1::text[], $2::timestamptz[]) AS n (path, mtime)
      WHERE f.path = n.path`,
    [files.map((file) => file.path), files.map((file) => file.mtime.toISOString())],
  );
}

/**
 * Creates the table of the syncs' results; idempotent. Run with the service's own role. Only agents
 * that have extra paths get this table: at 10,000 agents every table adds 10,000 rows to each of
 * several catalogues. A migration of this table must use ALTER TABLE IF EXISTS.
 */
export async function createExtraPathTable(sql: SqlExecutor, schema: SchemaName, role: RoleName): Promise<void> {
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${schema}.extra_paths (
    position integer PRIMARY KEY,
    path text NOT NULL,
    pattern text NOT NULL,
    files integer NOT NULL,
    skipped integer NOT NULL,
    failed integer NOT NULL,
    error text,
    synced_at timestamptz NOT NULL,
    rejected jsonb NOT NULL
  )`);
  await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.extra_paths TO ${role}`);
}

/**
 * Returns the names of all agents' schemas that have the table, which are the agents that ever had
 * extra paths. One query of the catalogue.
 */
export async function schemasWithExtraPaths(sql: SqlExecutor): Promise<Set<string>> {
  const { rows } = await sql.executeSql<{ name: string }>(
    `SELECT n.nspname AS name
       FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relname = 'extra_paths'`,
  );
  return new Set(rows.map((row) => row.name));
}

/**
 * Returns the last sync's results in the order of the settings; undefined when the table does not
 * exist yet.
 */
export async function readExtraPaths(sql: SqlExecutor, schema: SchemaName): Promise<ExtraPathRow[] | undefined> {
  const { rows: found } = await sql.executeSql<{ exists: boolean }>(
    `SELECT to_regclass('${schema}.extra_paths') IS NOT NULL AS exists`,
  );
  if (!found[0]?.exists) return undefined;
  const { rows } = await sql.executeSql<ExtraPathRow>(
    `SELECT path, pattern, files, skipped, failed, error, synced_at AS "syncedAt", rejected
       FROM ${schema}.extra_paths
      ORDER BY position`,
  );
  return rows;
}

/** Replaces the results of the last sync. */
export async function writeExtraPaths(
  sql: SqlExecutor,
  schema: SchemaName,
  rows: readonly ExtraPathRow[],
): Promise<void> {
  await sql.executeSql(`DELETE FROM ${schema}.extra_paths`);
  await sql.executeSql(
    `INSERT INTO ${schema}.extra_paths (position, path, pattern, files, skipped, failed, error,
                                        synced_at, rejected)
     SELECT n.position, n.path, n.pattern, n.files, n.skipped, n.failed, n.error, n.synced_at,
            n.rejected::jsonb
       FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::int[], $6::text[],
                   $7::timestamptz[], $8::text[]) WITH ORDINALITY
         AS n (path, pattern, files, skipped, failed, error, synced_at, rejected, position)`,
    [
      rows.map((row) => row.path),
      rows.map((row) => row.pattern),
      rows.map((row) => row.files),
      rows.map((row) => row.skipped),
      rows.map((row) => row.failed),
      rows.map((row) => row.error),
      rows.map((row) => row.syncedAt.toISOString()),
      rows.map((row) => JSON.stringify(row.rejected)),
    ],
  );
}
