import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { type FileRow, SUMMARY } from "./files.ts";

export interface DirectoryEntry {
  /** The path, relative to the directory that was listed. */
  path: string;
  directory: boolean;
  /** The size in bytes. For a directory, the total of the files in it that are not hidden. */
  size: number;
}

/** Names that a listing leaves out: hidden ones and node_modules. */
const LEFT_OUT = String.raw`^(\..*|node_modules)$`;

/**
 * Lists a directory two levels deep, each directory before its entries. A directory exists if files
 * are in it. A name that is both a file and a directory is listed as a directory. Reads the files
 * below the directory once.
 *
 * @param prefix "" for the top, else a path that ends with a slash
 */
export async function listDirectory(
  sql: SqlExecutor,
  schema: SchemaName,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<DirectoryEntry[]> {
  const { rows } = await sql.executeSql<DirectoryEntry>(
    // Rows are grouped by two names first, so that the rest is done once for each directory instead
    // of each file.
    `WITH pairs AS (
       SELECT split_part(rest, '/', 1) AS first, split_part(rest, '/', 2) AS second,
              bool_or(split_part(rest, '/', 3) <> '') AS deeper, sum(size_bytes) AS size
         FROM (
           SELECT substr(path, char_length($1) + 1) AS rest, size_bytes
             FROM ${schema}.files
            WHERE starts_with(path, $1)
              AND path >= $1
              AND NOT starts_with(path, '/')) AS below
        GROUP BY 1, 2
     )
     SELECT entry.path, bool_or(entry.directory) AS directory, sum(size)::float8 AS size
       FROM pairs
       CROSS JOIN LATERAL (VALUES (first, second <> ''),
                           (first || '/' || nullif(second, ''), deeper)) AS entry (path, directory)
      WHERE entry.path IS NOT NULL
        AND first !~ $2
        AND second !~ $2
      GROUP BY entry.path
      ORDER BY string_to_array(entry.path, '/')
      LIMIT $3`,
    [prefix, LEFT_OUT, limit],
  );
  return rows;
}

/**
 * Returns the file at this path and the files below the directory at this path, in path order, at
 * most `limit`.
 */
export async function filesAt(
  sql: SqlExecutor,
  schema: SchemaName,
  path: string,
  limit: number,
): Promise<{ path: string; size: number }[]> {
  const { rows } = await sql.executeSql<{ path: string; size: number }>(
    // The range lets Postgres use the index: in bytes, "0" comes right after the slash.
    `SELECT path, size_bytes AS size
       FROM ${schema}.files
      WHERE path >= $1
        AND path < $1 || '0'
        AND (path = $1 OR starts_with(path, $1 || '/'))
      ORDER BY path
      LIMIT $2`,
    [path, limit],
  );
  return rows;
}

/** Returns the first of these paths, in their order, at which there is a file. */
export async function firstFileAmong(
  sql: SqlExecutor,
  schema: SchemaName,
  paths: readonly string[],
): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const { rows } = await sql.executeSql<{ path: string }>(
    `SELECT path FROM ${schema}.files WHERE path = ANY($1::text[])`,
    [paths],
  );
  const there = new Set(rows.map(({ path }) => path));
  return paths.find((path) => there.has(path));
}

/** An entry that directly follows a prefix: a file, or a folder, whose path ends with a slash. */
export type FolderEntry = { folder: string } | { file: FileRow & { chunks: number } };

/**
 * Returns one page of the entries that directly follow a prefix, in path order. It walks the index
 * of paths from entry to entry and skips the contents of folders, so its cost depends on the page
 * and not on the number of files.
 *
 * @param after the path of the entry to continue after; "" for the beginning
 */
export async function listFolder(
  sql: SqlExecutor,
  schema: SchemaName,
  page: { generationId: number; prefix: string; after: string; limit: number },
): Promise<FolderEntry[]> {
  const { rows } = await sql.executeSql<FileRow & { entry: string; chunks: number | null }>(
    `WITH RECURSIVE entries (entry, number) AS (
       SELECT ${entryOf("first.path")}, 1
         FROM (
           SELECT path
             FROM ${schema}.files
            WHERE path >= $1
              AND path >= ${behind("$2::text")}
            ORDER BY path
            LIMIT 1) AS first
        WHERE starts_with(first.path, $1)
       UNION ALL
       SELECT ${entryOf("next.path")}, number + 1
         FROM entries
         CROSS JOIN LATERAL (
           SELECT path
             FROM ${schema}.files
            WHERE path >= ${behind("entry")}
            ORDER BY path
            LIMIT 1) AS next
        WHERE number < $3
          AND starts_with(next.path, $1)
     )
     SELECT entry, file.*,
            (
              SELECT count(*)::int
                FROM ${schema}.chunks_${page.generationId} c
               WHERE c.file_id = file.id) AS chunks
       FROM entries
       LEFT JOIN LATERAL (SELECT id, ${SUMMARY} FROM ${schema}.files WHERE path = entry) AS file
         ON true
      ORDER BY number`,
    [page.prefix, page.after, page.limit],
    { prepare: true },
  );
  return rows.map(({ entry, path, hash, size, lines, mtime, origin, original, chunks }) =>
    path === null
      ? { folder: entry }
      : { file: { path, hash, size, lines, mtime, origin, original, chunks: chunks ?? 0 } },
  );
}

/** Returns SQL for an entry: the path, or its part up to the first slash after the prefix. */
function entryOf(path: string): string {
  return `CASE strpos(substr(${path}, char_length($1) + 1), '/') WHEN 0 THEN ${path}
            ELSE left(${path}, char_length($1) + strpos(substr(${path}, char_length($1) + 1), '/')) END COLLATE "C"`;
}

/**
 * Returns SQL for the least path after an entry and its contents. In bytes "0" comes right after
 * the slash, and no path contains a control character.
 */
function behind(entry: string): string {
  return `(CASE WHEN right(${entry}, 1) = '/' THEN left(${entry}, -1) || '0'
                WHEN ${entry} = '' THEN ''
                ELSE ${entry} || chr(1) END COLLATE "C")`;
}
