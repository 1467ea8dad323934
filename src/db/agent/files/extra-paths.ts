import type { SqlExecutor } from "../../database.ts";
import type { RoleName, SchemaName } from "../space/schema-name.ts";
import { originalSql } from "./original.ts";

/** A file of an extra path, as it was on the server's disk when it was read. */
export interface ExtraFile {
  path: string;
  size: number;
  mtime: Date;
}

/** What the last sync found at one extra path of the settings. */
export interface ExtraPathRow {
  path: string;
  /** Empty: the default. */
  pattern: string;
  files: number;
  skipped: number;
  failed: number;
  error: string | null;
  syncedAt: Date;
  /** Size and time of files that turned out to be no text, by path: they are not read again until they change. */
  rejected: Record<string, string>;
}

/** One page of the files that stand under an absolute path, in path order, after `after`. Nothing but a sync writes those. */
export async function extraFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  after: string,
  limit: number,
): Promise<ExtraFile[]> {
  const { rows } = await sql.executeSql<ExtraFile>(
    // '0' is the byte behind '/': one range of the index.
    `SELECT path, coalesce((${originalSql()}->>'size')::int, size_bytes) AS size, mtime FROM ${schema}.files
      WHERE path > greatest($1, '/') AND path < '0' ORDER BY path LIMIT $2`,
    [after, limit],
  );
  return rows;
}

/** Gives files another modification time; their contents are the same. */
export async function setMtimes(
  sql: SqlExecutor,
  schema: SchemaName,
  files: readonly { path: string; mtime: Date }[],
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.files f SET mtime = n.mtime
       FROM unnest($1::text[], $2::timestamptz[]) AS n (path, mtime) WHERE f.path = n.path`,
    [files.map((file) => file.path), files.map((file) => file.mtime.toISOString())],
  );
}

/**
 * Makes the table of what syncs found; idempotent. Run with the service's own role. Only agents that have extra paths get
 * it: at 10,000 agents every table is 10,000 rows in each of several catalogues. A migration of it is ALTER TABLE IF EXISTS.
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

/** Names of all agents' schemas that have the table: the agents that ever had extra paths. One look into the catalogue. */
export async function schemasWithExtraPaths(sql: SqlExecutor): Promise<Set<string>> {
  const { rows } = await sql.executeSql<{ name: string }>(
    `SELECT n.nspname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 'extra_paths'`,
  );
  return new Set(rows.map((row) => row.name));
}

/** What the last sync found, in the order of the settings; undefined when there is no table yet. */
export async function readExtraPaths(sql: SqlExecutor, schema: SchemaName): Promise<ExtraPathRow[] | undefined> {
  const { rows: found } = await sql.executeSql<{ exists: boolean }>(
    `SELECT to_regclass('${schema}.extra_paths') IS NOT NULL AS exists`,
  );
  if (!found[0]?.exists) return undefined;
  const { rows } = await sql.executeSql<ExtraPathRow>(
    `SELECT path, pattern, files, skipped, failed, error, synced_at AS "syncedAt", rejected
       FROM ${schema}.extra_paths ORDER BY position`,
  );
  return rows;
}

/** Replaces what was found before. */
export async function writeExtraPaths(
  sql: SqlExecutor,
  schema: SchemaName,
  rows: readonly ExtraPathRow[],
): Promise<void> {
  await sql.executeSql(`DELETE FROM ${schema}.extra_paths`);
  await sql.executeSql(
    `INSERT INTO ${schema}.extra_paths (position, path, pattern, files, skipped, failed, error, synced_at, rejected)
     SELECT n.position, n.path, n.pattern, n.files, n.skipped, n.failed, n.error, n.synced_at, n.rejected::jsonb
       FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::int[], $6::text[], $7::timestamptz[], $8::text[])
         WITH ORDINALITY AS n (path, pattern, files, skipped, failed, error, synced_at, rejected, position)`,
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
