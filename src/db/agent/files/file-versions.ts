import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import type { FileOriginal } from "./original.ts";

/** A former text of a file. */
export interface FileVersionRow {
  /** The number of the change that ended this version. */
  version: string;
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: Date;
  origin: string | null;
  original: FileOriginal | null;
  writtenAt: Date;
  /** null if it was written before writers were recorded. */
  writtenBy: string | null;
  endedAt: Date;
  endedBy: string;
  /** Whether the change that ended this version deleted the file. */
  deleted: boolean;
}

/** The present text of a file, as the last of its versions. */
export type StandingFile = Pick<FileVersionRow, "path" | "hash" | "size" | "lines" | "writtenAt" | "writtenBy">;

const COLUMNS = `v.until_seq::text AS version, v.path, v.content_hash AS hash, v.size_bytes AS size, v.line_count AS lines, v.mtime, v.origin,
  v.original, v.written_at AS "writtenAt", v.written_by AS "writtenBy", v.ended_at AS "endedAt", v.ended_by AS "endedBy", v.deleted`;

/**
 * Returns a condition: a snapshot needs the version `v`, which stood when the snapshot was taken.
 */
function neededSql(schema: SchemaName): string {
  return `EXISTS (SELECT FROM ${schema}.snapshots s WHERE v.since_seq < s.seq AND s.seq < v.until_seq)`;
}

/** Returns one page of a file's former versions, newest first, before the version `before`. */
export async function listVersions(
  sql: SqlExecutor,
  schema: SchemaName,
  path: string,
  page: { before: string | undefined; limit: number },
): Promise<FileVersionRow[]> {
  const { rows } = await sql.executeSql<FileVersionRow>(
    `SELECT ${COLUMNS}
       FROM ${schema}.file_versions v
      WHERE path = $1
        AND ($2::bigint IS NULL OR until_seq < $2)
      ORDER BY path DESC, until_seq DESC
      LIMIT $3`,
    [path, page.before ?? null, page.limit],
  );
  return rows;
}

export async function standingFile(
  sql: SqlExecutor,
  schema: SchemaName,
  path: string,
): Promise<StandingFile | undefined> {
  const { rows } = await sql.executeSql<StandingFile>(
    `SELECT path, content_hash AS hash, size_bytes AS size, line_count AS lines,
            updated_at AS "writtenAt", written_by AS "writtenBy"
       FROM ${schema}.files
      WHERE path = $1`,
    [path],
  );
  return rows[0];
}

export async function readVersion(
  sql: SqlExecutor,
  schema: SchemaName,
  version: string,
): Promise<(FileVersionRow & { content: string }) | undefined> {
  const { rows } = await sql.executeSql<FileVersionRow & { content: string }>(
    // PGlite drops a byte order mark at the beginning of a value it returns.
    `SELECT ${COLUMNS}, '=' || v.content AS content
       FROM ${schema}.file_versions v
      WHERE until_seq = $1`,
    [version],
  );
  const [found] = rows;
  return found && { ...found, content: found.content.slice(1) };
}

/**
 * Returns one page of deleted files that can be restored, each with its last version, in path order
 * after `after`.
 */
export async function listDeletedFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  page: { prefix: string; after: string; limit: number },
): Promise<FileVersionRow[]> {
  const { rows } = await sql.executeSql<FileVersionRow>(
    `SELECT DISTINCT ON (v.path) ${COLUMNS}
       FROM ${schema}.file_versions v
      WHERE v.path > $1
        AND starts_with(v.path, $2)
        AND v.path >= $2
        AND NOT EXISTS (SELECT FROM ${schema}.files f WHERE f.path = v.path)
      ORDER BY v.path, v.until_seq DESC
      LIMIT $3`,
    [page.after, page.prefix, page.limit],
  );
  return rows;
}

/** Returns the file as it stood at a time, if its versions reach back that far. */
export async function readFileAsOf(
  sql: SqlExecutor,
  schema: SchemaName,
  path: string,
  at: Date,
): Promise<{ content: string; original: FileOriginal | null } | undefined> {
  const { rows } = await sql.executeSql<{ content: string; original: FileOriginal | null }>(
    `SELECT '=' || content AS content, original
       FROM (
         SELECT content, original - 'text' AS original, updated_at AS since
           FROM ${schema}.files
          WHERE path = $1
            AND updated_at <= $2
         UNION ALL
         SELECT content, original, written_at
           FROM ${schema}.file_versions
          WHERE path = $1
            AND written_at <= $2
            AND ended_at > $2) AS standing
      ORDER BY since DESC
      LIMIT 1`,
    [path, at],
  );
  const [found] = rows;
  return found && { ...found, content: found.content.slice(1) };
}

/**
 * Deletes the oldest versions that no snapshot needs until this many bytes are free.
 *
 * @returns the bytes that were freed
 */
export async function dropOldestVersions(sql: SqlExecutor, schema: SchemaName, bytes: number): Promise<number> {
  const { rows } = await sql.executeSql<{ bytes: number }>(
    `WITH oldest AS (
       SELECT until_seq, sum(size_bytes) OVER (ORDER BY until_seq) - size_bytes AS before
         FROM ${schema}.file_versions v
        WHERE NOT ${neededSql(schema)}
     ), gone AS (
       DELETE FROM ${schema}.file_versions v
        USING oldest o
        WHERE o.until_seq = v.until_seq
          AND o.before < $1
       RETURNING v.size_bytes
     )
     SELECT coalesce(sum(size_bytes), 0)::float8 AS bytes
       FROM gone`,
    [bytes],
  );
  return rows[0]?.bytes ?? 0;
}

/**
 * Deletes all former versions of a path's file, even if snapshots need them.
 *
 * @returns how many versions, and their bytes
 */
export async function purgeVersions(
  sql: SqlExecutor,
  schema: SchemaName,
  path: string,
): Promise<{ versions: number; bytes: number }> {
  const { rows } = await sql.executeSql<{ versions: number; bytes: number }>(
    `WITH gone AS (DELETE FROM ${schema}.file_versions WHERE path = $1 RETURNING size_bytes)
     SELECT count(*)::int AS versions, coalesce(sum(size_bytes), 0)::float8 AS bytes
       FROM gone`,
    [path],
  );
  return rows[0] ?? { versions: 0, bytes: 0 };
}

/**
 * Deletes some versions that ended before a time, or that have at least `most` newer versions of
 * the same path. Versions that a snapshot needs stay.
 *
 * @returns how many versions, and their bytes
 */
export async function pruneVersions(
  sql: SqlExecutor,
  schema: SchemaName,
  { endedBefore, most, limit }: { endedBefore: Date; most: number; limit: number },
): Promise<{ versions: number; bytes: number }> {
  const { rows } = await sql.executeSql<{ versions: number; bytes: number }>(
    `WITH ranked AS (
       SELECT until_seq, since_seq, ended_at,
              row_number() OVER (PARTITION BY path ORDER BY until_seq DESC) AS nth
         FROM ${schema}.file_versions
     ), doomed AS (
       SELECT until_seq
         FROM ranked v
        WHERE (ended_at < $1 OR nth > $2)
          AND NOT ${neededSql(schema)}
        ORDER BY until_seq
        LIMIT $3
     ), gone AS (
       DELETE FROM ${schema}.file_versions v
        USING doomed d
        WHERE d.until_seq = v.until_seq
       RETURNING v.size_bytes
     )
     SELECT count(*)::int AS versions, coalesce(sum(size_bytes), 0)::float8 AS bytes
       FROM gone`,
    [endedBefore, most, limit],
  );
  return rows[0] ?? { versions: 0, bytes: 0 };
}

/** Returns the bytes of all versions. */
export async function sumVersions(sql: SqlExecutor, schema: SchemaName): Promise<number> {
  const { rows } = await sql.executeSql<{ bytes: number }>(
    `SELECT coalesce(sum(size_bytes), 0)::float8 AS bytes FROM ${schema}.file_versions`,
  );
  return rows[0]?.bytes ?? 0;
}
