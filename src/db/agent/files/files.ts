import { lockTables } from "../../citus/ddl.ts";
import type { SqlExecutor } from "../../database.ts";
import { nextNumberSql } from "../schema/change-number.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { type FileOriginal, originalSql } from "./original.ts";

export interface FileRow {
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: Date;
  /** The synced folder that sent this content; null when it was written otherwise. */
  origin: string | null;
  /** The document that the text was read from; null when the text itself was written. */
  original: FileOriginal | null;
}

export interface FileWrite {
  path: string;
  content: string;
  hash: string;
  size: number;
  lines: number;
  mtime: Date;
  /** The day that the file is about, as YYYY-MM-DD; undefined: only `mtime` is known. */
  day?: string | undefined;
  origin: string | null;
  original: FileOriginal | null;
  /** The caller who writes the file, from `signatureOf`. */
  by: string;
}

/** The time of a change of files, and whether it keeps versions. */
export interface ChangeStamp {
  now: Date;
  /** Whether the former texts become versions even if no snapshot needs them. */
  keeps: boolean;
}

/**
 * Returns a condition: the file is the agent's own. Files of the server's folders have absolute
 * paths; '0' is the byte after '/'.
 */
export function ownFile(path = "path"): string {
  return `NOT (${path} >= '/' AND ${path} < '0')`;
}

/**
 * SQL for the origin of a file. A write by a process that knows no origins changes the content hash
 * but leaves the column as it was, so an origin with another hash is out of date.
 */
export const ORIGIN = "CASE WHEN origin_hash = content_hash THEN origin END";

/** SQL for the columns of a `FileRow`. */
export const SUMMARY = `path, content_hash AS hash, size_bytes AS size, line_count AS lines, mtime, ${ORIGIN} AS origin, ${originalSql()} AS original`;

/**
 * Stores the present texts of files as versions before other texts replace them. The caller must
 * have locked the files with `lockFiles`. It is a statement of its own because Citus broadcasts the
 * result of a CTE to every worker.
 *
 * @returns the number of each change by path, and the bytes of the new versions
 */
export async function keepReplaced(
  sql: SqlExecutor,
  schema: SchemaName,
  files: readonly FileWrite[],
  { now, keeps }: ChangeStamp,
): Promise<{ numbers: Map<string, string>; bytes: number }> {
  if (files.length === 0) return { numbers: new Map(), bytes: 0 };
  const { rows } = await sql.executeSql<{ path: string; number: string; bytes: number }>(
    `${insertVersions(schema, "$4", "n.by", false)}
       FROM unnest($1::text[], $2::text[], $3::text[]) AS n (path, hash, by)
       JOIN ${schema}.files f ON f.path = n.path
      WHERE f.content_hash <> n.hash
        AND ($5 OR EXISTS (SELECT FROM ${schema}.snapshots))
     RETURNING path, until_seq::text AS number, size_bytes AS bytes`,
    [files.map((file) => file.path), files.map((file) => file.hash), files.map((file) => file.by), now, keeps],
    { prepare: true },
  );
  return {
    numbers: new Map(rows.map(({ path, number }) => [path, number])),
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/**
 * Inserts or replaces files and returns their ids, and whether each is new. Rows are taken in path
 * order, so that two batches with common paths wait for each other instead of deadlocking.
 *
 * @param stamp.generationId the newest generation that the caller stores these contents in
 * @param stamp.numbers the numbers of changes by path; a change without one gets the id that the
 * row would have got
 */
export async function upsertFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  files: readonly FileWrite[],
  { generationId, now, numbers }: { generationId: number; now: Date; numbers?: ReadonlyMap<string, string> },
): Promise<{ id: string; path: string; created: boolean }[]> {
  const { rows } = await sql.executeSql<{ id: string; path: string; created: boolean }>(
    `INSERT INTO ${schema}.files AS f (path, name, content, content_hash, size_bytes, line_count,
                                       mtime, origin, origin_hash, original, created_at, updated_at,
                                       indexed_generation, written_by, seq, day)
     SELECT n.path, n.name, n.content, n.hash, n.size, n.lines, n.mtime, n.origin,
            CASE WHEN n.origin IS NOT NULL THEN n.hash END, n.original::jsonb, $9, $9, $10, n.by,
            n.number, n.day
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[],
                   $7::timestamptz[], $8::text[], $11::text[], $12::text[], $13::bigint[],
                   $14::date[])
         AS n (path, name, content, hash, size, lines, mtime, origin, original, by, number, day)
      ORDER BY n.path COLLATE "C"
     ON CONFLICT (path) DO UPDATE SET content = excluded.content,
       content_hash = excluded.content_hash, size_bytes = excluded.size_bytes,
       line_count = excluded.line_count, mtime = excluded.mtime, day = excluded.day,
       indexed_generation = excluded.indexed_generation, origin = excluded.origin,
       origin_hash = excluded.origin_hash, original = excluded.original,
       -- If the text stays the same and only its document is another, no new version begins.
       seq = CASE WHEN f.content_hash = excluded.content_hash THEN f.seq
                  ELSE coalesce(excluded.seq, excluded.id) END,
       updated_at = CASE WHEN f.content_hash = excluded.content_hash THEN f.updated_at
                         ELSE excluded.updated_at END,
       written_by = CASE WHEN f.content_hash = excluded.content_hash THEN f.written_by
                         ELSE excluded.written_by END
     -- A row version that another one was made from has xmax set; a new row has not.
     RETURNING id, path, (f.xmax = 0) AS created`,
    [
      files.map((file) => file.path),
      files.map((file) => foldName(file.path.slice(file.path.lastIndexOf("/") + 1))),
      files.map((file) => file.content),
      files.map((file) => file.hash),
      files.map((file) => file.size),
      files.map((file) => file.lines),
      files.map((file) => file.mtime.toISOString()),
      files.map((file) => file.origin),
      now,
      generationId,
      files.map((file) => file.original && JSON.stringify({ ...file.original, text: file.hash })),
      files.map((file) => file.by),
      files.map((file) => numbers?.get(file.path) ?? null),
      files.map((file) => file.day ?? null),
    ],
    { prepare: true },
  );
  return rows;
}

/**
 * Returns the beginning of a statement that stores files as versions, up to its FROM, which must
 * name the files `f`.
 *
 * @param at an SQL expression for the time of the change
 * @param by an SQL expression for the caller who makes it
 */
function insertVersions(schema: SchemaName, at: string, by: string, deleted: boolean): string {
  return `INSERT INTO ${schema}.file_versions (
      until_seq, since_seq, born, path, content, content_hash, size_bytes, line_count, mtime, origin,
      original, written_at, written_by, ended_at, ended_by, deleted, day)
    SELECT ${nextNumberSql(schema)}, coalesce(f.seq, f.id), coalesce(f.born, f.id), f.path,
           f.content, f.content_hash, f.size_bytes, f.line_count, f.mtime,
           CASE WHEN f.origin_hash = f.content_hash THEN f.origin END, ${originalSql("f.")},
           f.updated_at, f.written_by, ${at}::timestamptz, ${by}::text, ${deleted}, f.day`;
}

/**
 * Folds a name for comparison. This is done here because SQL's lower() folds only ASCII in the
 * collation of the column.
 */
function foldName(name: string): string {
  return name.toLowerCase().normalize("NFC");
}

export interface LockedFile {
  id: string;
  size: number;
  hash: string;
  origin: string | null;
}

/**
 * Locks the files that exist at these paths, in path order, and returns them. A batch takes all its
 * locks here. If it took them one by one, two batches with the same paths in opposite order would
 * deadlock, and Postgres breaks a deadlock only after a second.
 */
export async function lockFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  paths: readonly string[],
): Promise<Map<string, LockedFile>> {
  const { rows } = await sql.executeSql<LockedFile & { path: string }>(
    `SELECT id, path, size_bytes AS size, content_hash AS hash, ${ORIGIN} AS origin
       FROM ${schema}.files
      WHERE path = ANY($1::text[])
      ORDER BY path
        FOR UPDATE`,
    [paths],
    { prepare: true },
  );
  return new Map(rows.map(({ path, ...file }) => [path, file]));
}

/** Assigns existing files to an origin without changing their contents. */
export async function adoptFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  origin: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  await sql.executeSql(
    `UPDATE ${schema}.files
        SET origin = $1, origin_hash = content_hash
      WHERE path = ANY($2::text[])`,
    [origin, paths],
  );
}

/** Returns the origins that have files, those with most files first, at most `limit`. */
export async function listOrigins(
  sql: SqlExecutor,
  schema: SchemaName,
  limit: number,
): Promise<{ origin: string; files: number }[]> {
  const { rows } = await sql.executeSql<{ origin: string; files: number }>(
    `SELECT origin, count(*)::int AS files
       FROM ${schema}.files
      WHERE origin_hash = content_hash
      GROUP BY origin
      ORDER BY files DESC, origin
      LIMIT $1`,
    [limit],
  );
  return rows;
}

/**
 * Deletes files with their chunks and vectors. Their texts become versions.
 *
 * @returns how many chunks they had in the generation, and the bytes of the new versions
 */
export async function deleteFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  ids: readonly string[],
  { generationId, now, keeps, by }: ChangeStamp & { generationId: number; by: string },
): Promise<{ chunks: number; historyBytes: number }> {
  const { rows } = await sql.executeSql<{ chunks: number }>(
    `SELECT count(*)::int AS chunks
       FROM ${schema}.chunks_${generationId}
      WHERE file_id = ANY($1::bigint[])`,
    [ids],
  );
  const { rows: kept } = await sql.executeSql<{ bytes: number }>(
    `${insertVersions(schema, "$2", "$3", true)}
       FROM ${schema}.files f
      WHERE f.id = ANY($1::bigint[])
        AND ($4 OR EXISTS (SELECT FROM ${schema}.snapshots))
     RETURNING size_bytes AS bytes`,
    [ids, now, by, keeps],
  );
  await sql.executeSql(`DELETE FROM ${schema}.files WHERE id = ANY($1::bigint[])`, [ids]);
  return { chunks: rows[0]?.chunks ?? 0, historyBytes: kept.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Returns the totals of all files of an agent. */
export async function sumFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
): Promise<{ files: number; bytes: number; chunks: number }> {
  const { rows } = await sql.executeSql<{ files: number; bytes: number; chunks: number }>(
    `SELECT count(*)::int AS files, coalesce(sum(size_bytes), 0)::float8 AS bytes,
            (SELECT count(*)::int FROM ${schema}.chunks_${generationId}) AS chunks
       FROM ${schema}.files`,
  );
  return rows[0] ?? { files: 0, bytes: 0, chunks: 0 };
}

export async function readFile(
  sql: SqlExecutor,
  schema: SchemaName,
  path: string,
): Promise<(FileRow & { content: string }) | undefined> {
  const { rows } = await sql.executeSql<FileRow & { content: string }>(
    // PGlite drops a byte order mark at the beginning of a value it returns, but keeps one after
    // another character.
    `SELECT ${SUMMARY}, '=' || content AS content FROM ${schema}.files WHERE path = $1`,
    [path],
  );
  const [file] = rows;
  return file && { ...file, content: file.content.slice(1) };
}

/**
 * Returns one page of files in path order after `after`, of one origin or of all, each with the
 * number of its chunks in the generation.
 */
export async function listFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  page: { generationId: number; prefix: string; origin: string | null; after: string; limit: number },
): Promise<(FileRow & { chunks: number })[]> {
  const { rows } = await sql.executeSql<FileRow & { chunks: number }>(
    `SELECT ${SUMMARY},
            (
              SELECT count(*)::int
                FROM ${schema}.chunks_${page.generationId} c
               WHERE c.file_id = f.id) AS chunks
       FROM ${schema}.files f
      WHERE path > $1
        AND starts_with(path, $2)
        AND path >= $2
        AND ($4::text IS NULL OR (origin = $4 AND origin_hash = content_hash))
      ORDER BY path
      LIMIT $3`,
    [page.after, page.prefix, page.limit, page.origin],
  );
  return rows;
}

/**
 * Returns the files whose whole path or file name is one of these strings, at most `limit`. Names
 * match without regard to case.
 */
export async function filesNamed(
  sql: SqlExecutor,
  schema: SchemaName,
  names: readonly string[],
  limit: number,
): Promise<{ id: string; path: string }[]> {
  if (names.length === 0) return [];
  const { rows } = await sql.executeSql<{ id: string; path: string }>(
    `SELECT id, path
       FROM ${schema}.files
      WHERE path = ANY($1::text[])
         OR lower(name) = ANY($2::text[])
      ORDER BY path
      LIMIT $3`,
    [names.map((name) => name.normalize("NFC")), names.map(foldName), limit],
    { prepare: true },
  );
  return rows;
}

/**
 * Keeps every writer of the agent out until the transaction ends, after waiting for current
 * writers; searches go on. Every write begins by locking files, sessions or facts, so a writer that
 * waited here learns of a new generation before it stores anything.
 */
export async function lockOutWriters(sql: SqlExecutor, schema: SchemaName): Promise<void> {
  await lockTables(sql, [`${schema}.files`, `${schema}.sessions`, `${schema}.facts`], "EXCLUSIVE");
}
