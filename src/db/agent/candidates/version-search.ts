import type { SqlExecutor } from "../../database.ts";
import { passingVersion, type SearchFilter } from "../chunks/search-filter.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/**
 * A search in file versions: a version must have one of the words, stemmed by a text search
 * configuration.
 */
interface VersionQuestion {
  at: Date;
  words: readonly string[];
  language: string;
  filter: SearchFilter;
}

export interface StandingVersion {
  version: string;
  path: string;
  content: string;
  /** The day that the text is about, as YYYY-MM-DD; null: only `mtime` is known. */
  day: string | null;
  mtime: Date;
}

/**
 * Returns versions that stood at a time and have one of the words. Versions have no index, so each
 * is read. Reading begins with the version that ended last, and stops at the limits of versions and
 * bytes.
 *
 * @returns `cut`: there were more versions than were read
 */
export async function versionsWith(
  sql: SqlExecutor,
  schema: SchemaName,
  { at, words, language, filter }: VersionQuestion,
  most: { versions: number; bytes: number },
): Promise<{ versions: StandingVersion[]; cut: boolean }> {
  const values: unknown[] = [at, most.versions, most.bytes, language, words];
  const passing = passingVersion(filter, values);
  const { rows } = await sql.executeSql<StandingVersion & { found: boolean; read: boolean }>(
    `WITH standing AS (
       SELECT until_seq, path, content, day, mtime,
              sum(size_bytes) OVER (ORDER BY until_seq DESC) - size_bytes AS before
         FROM (
           SELECT *
             FROM ${schema}.file_versions v
            WHERE written_at <= $1
              AND ended_at > $1${passing}
            ORDER BY until_seq DESC
            LIMIT $2 + 1) AS newest
     ), looked AS (
       SELECT *, row_number() OVER (ORDER BY until_seq DESC) <= $2 AND before < $3 AS read
         FROM standing
     ), found AS (
       SELECT *,
              read AND EXISTS (
                SELECT
                  FROM unnest($5::text[]) AS w (word)
                 WHERE vector @@ plainto_tsquery($4::regconfig, w.word)) AS found
         FROM looked,
              LATERAL (
                SELECT CASE WHEN read THEN to_tsvector($4::regconfig, content) END AS vector
                OFFSET 0) AS v
     )
     SELECT until_seq::text AS version, path, day::text AS day, mtime, read, found,
            CASE WHEN found THEN '=' || content ELSE '=' END AS content
       FROM found
      WHERE found
         OR NOT read
      ORDER BY until_seq DESC`,
    values,
  );
  const versions = rows
    .filter(({ found }) => found)
    .map(({ version, path, content, day, mtime }) => ({ version, path, content: content.slice(1), day, mtime }));
  return { versions, cut: rows.some(({ read }) => !read) };
}

/** Returns for each passage the share of the words that it has, from 0 to 1. */
export async function shareOfWords(
  sql: SqlExecutor,
  passages: readonly string[],
  { words, language }: Pick<VersionQuestion, "words" | "language">,
): Promise<number[]> {
  if (passages.length === 0 || words.length === 0) return passages.map(() => 0);
  const { rows } = await sql.executeSql<{ share: number }>(
    `SELECT (
              SELECT count(*) FILTER (WHERE v.vector @@ plainto_tsquery($2::regconfig, w.word))::float8
                       / count(*)
                FROM unnest($3::text[]) AS w (word)) AS share
       FROM unnest($1::text[]) WITH ORDINALITY AS p (text, place),
            LATERAL (SELECT to_tsvector($2::regconfig, p.text) AS vector OFFSET 0) AS v
      ORDER BY p.place`,
    [passages, language, words],
  );
  return rows.map(({ share }) => share);
}
