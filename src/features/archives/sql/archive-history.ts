import type { FactChangeKind } from "../../../db/agent/facts/fact-changes.ts";
import { ownFile } from "../../../db/agent/files/files.ts";
import type { FileOriginal } from "../../../db/agent/files/original.ts";
import { HELD, type SnapshotRow } from "../../../db/agent/history/snapshots.ts";
import type { SchemaName } from "../../../db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../../db/database.ts";
import type { ArchivePage } from "./archive-read.ts";

/** A file version in an archive. `version`, `since` and `born` are numbers of changes. */
export interface ArchivedVersion {
  version: number;
  since: number;
  born: number;
  path: string;
  content: string;
  mtime: Date;
  origin: string | null;
  original: FileOriginal | null;
  writtenAt: Date;
  writtenBy: string | null;
  endedAt: Date;
  endedBy: string;
  deleted: boolean;
}

/** A change of a fact in an archive. `before` is the fact's row before the change, as JSON text. */
export interface ArchivedFactChange {
  seq: number;
  fact: string;
  kind: FactChangeKind;
  at: Date;
  by: string | null;
  before: string | null;
}

/**
 * Returns versions of the agent's own files that ended before the change `before`, in order of
 * their numbers, after `after`.
 */
export async function versionsForArchive(
  sql: SqlExecutor,
  schema: SchemaName,
  { after, before }: { after: number; before: string },
  { limit, maxBytes }: ArchivePage,
): Promise<ArchivedVersion[]> {
  const { rows } = await sql.executeSql<ArchivedVersion>(
    // PGlite drops a byte order mark at the beginning of a value.
    `SELECT until_seq::float8 AS version, since_seq::float8 AS since, born::float8 AS born, path,
            '=' || content AS content, mtime, origin, original, written_at AS "writtenAt",
            written_by AS "writtenBy", ended_at AS "endedAt", ended_by AS "endedBy", deleted
       FROM (
         SELECT *, sum(size_bytes) OVER (ORDER BY until_seq) - size_bytes AS earlier
           FROM (
             SELECT *
               FROM ${schema}.file_versions
              WHERE until_seq > $1
                AND until_seq < $2
                AND ${ownFile()}
              ORDER BY until_seq
              LIMIT $3) AS page) AS v
      WHERE earlier < $4
      ORDER BY until_seq`,
    [after, before, limit, maxBytes],
  );
  return rows.map((row) => ({ ...row, content: row.content.slice(1) }));
}

export async function factChangesForArchive(
  sql: SqlExecutor,
  schema: SchemaName,
  { after, before }: { after: number; before: string },
  limit: number,
): Promise<ArchivedFactChange[]> {
  const { rows } = await sql.executeSql<ArchivedFactChange>(
    `SELECT seq::float8 AS seq, fact_id::text AS fact, kind, at, by, before::text AS before
       FROM ${schema}.fact_changes
      WHERE seq > $1
        AND seq < $2
      ORDER BY fact_changes.seq
      LIMIT $3`,
    [after, before, limit],
  );
  return rows;
}

/**
 * Returns whether anything has a number in the order of changes: files, their versions, changes of
 * facts, snapshots.
 */
export async function hasNumbers(sql: SqlExecutor, schema: SchemaName): Promise<boolean> {
  const { rows } = await sql.executeSql<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM ${schema}.files WHERE ${ownFile()})
            OR EXISTS (SELECT FROM ${schema}.file_versions)
            OR EXISTS (SELECT FROM ${schema}.fact_changes)
            OR EXISTS (SELECT FROM ${schema}.snapshots WHERE left(name, 1) <> $1) AS has`,
    [HELD],
  );
  return rows[0]?.has ?? false;
}

/**
 * Returns whether any fact, present or kept for a snapshot, has a subject or is an instruction,
 * which older releases do not read.
 */
export async function hasSubjects(sql: SqlExecutor, schema: SchemaName): Promise<boolean> {
  const { rows } = await sql.executeSql<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM ${schema}.facts WHERE subject_folded IS NOT NULL OR category = 'instruction')
            OR EXISTS (
              SELECT
                FROM ${schema}.fact_changes
               WHERE before->>'subject' IS NOT NULL
                  OR before->>'category' = 'instruction')
              AS has`,
  );
  return rows[0]?.has ?? false;
}

/** Returns whether any message has an origin class, which older releases do not read. */
export async function hasClasses(sql: SqlExecutor, schema: SchemaName): Promise<boolean> {
  const { rows } = await sql.executeSql<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM ${schema}.messages WHERE origin_class IS NOT NULL) AS has`,
  );
  return rows[0]?.has ?? false;
}

export interface FileNumbers {
  path: string;
  seq: number;
  born: number;
  writtenAt: Date;
  writtenBy: string | null;
}

/** Sets, on restored files, the numbers of their changes, when they were written, and by whom. */
export async function restoreNumbers(
  sql: SqlExecutor,
  schema: SchemaName,
  files: readonly FileNumbers[],
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.files f
        SET seq = n.seq, born = n.born, updated_at = n.at, written_by = n.by
       FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::text[])
         AS n (path, seq, born, at, by)
      WHERE f.path = n.path`,
    [
      files.map((one) => one.path),
      files.map((one) => one.seq),
      files.map((one) => one.born),
      files.map((one) => one.writtenAt.toISOString()),
      files.map((one) => one.writtenBy),
    ],
  );
}

export type VersionRestore = ArchivedVersion & { hash: string; size: number; lines: number; day: string | undefined };

export async function restoreVersions(
  sql: SqlExecutor,
  schema: SchemaName,
  versions: readonly VersionRestore[],
): Promise<void> {
  const column = <T>(value: (version: VersionRestore) => T) => versions.map(value);
  await sql.executeSql(
    `INSERT INTO ${schema}.file_versions (until_seq, since_seq, born, path, content, content_hash,
                                          size_bytes, line_count, mtime, origin, original,
                                          written_at, written_by, ended_at, ended_by, deleted, day)
     SELECT n.version, n.since, n.born, n.path, n.content, n.hash, n.size, n.lines, n.mtime,
            n.origin, n.original::jsonb, n.written_at, n.written_by, n.ended_at, n.ended_by,
            n.deleted, n.day
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
                   $7::int[], $8::int[], $9::timestamptz[], $10::text[], $11::text[],
                   $12::timestamptz[], $13::text[], $14::timestamptz[], $15::text[], $16::boolean[],
                   $17::date[])
         AS n (version, since, born, path, content, hash, size, lines, mtime, origin, original,
               written_at, written_by, ended_at, ended_by, deleted, day)`,
    [
      ...[column((one) => one.version), column((one) => one.since), column((one) => one.born)],
      ...[column((one) => one.path), column((one) => one.content), column((one) => one.hash)],
      ...[column((one) => one.size), column((one) => one.lines), column((one) => one.mtime.toISOString())],
      ...[column((one) => one.origin), column((one) => one.original && JSON.stringify(one.original))],
      ...[column((one) => one.writtenAt.toISOString()), column((one) => one.writtenBy)],
      ...[column((one) => one.endedAt.toISOString()), column((one) => one.endedBy), column((one) => one.deleted)],
      column((one) => one.day ?? null),
    ],
  );
}

export async function restoreFactChanges(
  sql: SqlExecutor,
  schema: SchemaName,
  changes: readonly ArchivedFactChange[],
): Promise<void> {
  await sql.executeSql(
    `INSERT INTO ${schema}.fact_changes (seq, fact_id, kind, at, by, before)
     SELECT n.seq, n.fact, n.kind, n.at, n.by, n.before::jsonb
       FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[], $5::text[], $6::text[])
         AS n (seq, fact, kind, at, by, before)`,
    [
      ...[changes.map((one) => one.seq), changes.map((one) => one.fact), changes.map((one) => one.kind)],
      ...[changes.map((one) => one.at.toISOString()), changes.map((one) => one.by), changes.map((one) => one.before)],
    ],
  );
}

export async function restoreSnapshot(sql: SqlExecutor, schema: SchemaName, one: SnapshotRow): Promise<void> {
  await sql.executeSql(
    `INSERT INTO ${schema}.snapshots (name, seq, last_fact, taken_at, taken_by, expires_at, files,
                                      bytes, facts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [one.name, one.seq, one.lastFact, one.takenAt, one.takenBy, one.expiresAt, one.files, one.bytes, one.facts],
  );
}

/**
 * Returns a contradiction in a restored history; undefined when there is none. No agent's own
 * history contains one, and a rollback could not handle it.
 */
export async function contradictionIn(sql: SqlExecutor, schema: SchemaName): Promise<string | undefined> {
  const { rows } = await sql.executeSql<{ problem: string }>(
    `WITH spans AS (
       SELECT path, since_seq AS since, until_seq AS until
         FROM ${schema}.file_versions
       UNION ALL
       SELECT path, coalesce(seq, id), NULL
         FROM ${schema}.files
     ), follows AS (
       SELECT until, lead(since) OVER (PARTITION BY path ORDER BY until NULLS LAST) AS next
         FROM spans
     ), states AS (
       SELECT (before->>'superseded_by')::bigint AS by
         FROM ${schema}.fact_changes
        WHERE before <> 'null'
     )
     SELECT problem
       FROM (VALUES ('two texts of a file at one time',
                     EXISTS (SELECT FROM follows WHERE next < until)),
             ('a past, and a file without the number of its change',
              EXISTS (SELECT FROM ${schema}.files WHERE seq IS NULL)
               AND (EXISTS (SELECT FROM ${schema}.file_versions)
                    OR EXISTS (SELECT FROM ${schema}.snapshots))),
             ('two changes under one number',
              EXISTS (
                SELECT seq
                  FROM (
                    SELECT seq
                      FROM ${schema}.fact_changes
                    UNION ALL
                    SELECT seq
                      FROM ${schema}.snapshots) AS n
                 GROUP BY seq
                HAVING count(*) > 1)),
             ('a fact whose place was taken by one that there never was',
              EXISTS (
                SELECT
                  FROM states
                 WHERE by NOT IN (
                   SELECT id
                     FROM ${schema}.facts
                   UNION ALL
                   SELECT fact_id
                     FROM ${schema}.fact_changes)))) AS checks (problem, found)
      WHERE found
      LIMIT 1`,
  );
  return rows[0]?.problem;
}

/** Returns the greatest number of a restored change; "0" when there is none. */
export async function lastNumber(sql: SqlExecutor, schema: SchemaName): Promise<string> {
  const { rows } = await sql.executeSql<{ last: string }>(
    `SELECT greatest(0, (SELECT max(greatest(id, seq)) FROM ${schema}.files),
                     (SELECT max(until_seq) FROM ${schema}.file_versions),
                     (SELECT max(seq) FROM ${schema}.fact_changes),
                     (SELECT max(seq) FROM ${schema}.snapshots))::text AS last`,
  );
  return rows[0]?.last ?? "0";
}

/**
 * Sets the sequence of change numbers to continue after this number. Run with the service's own
 * role, which owns the sequence.
 */
export async function continueNumbers(sql: SqlExecutor, schema: SchemaName, last: string): Promise<void> {
  const sequence = `'${schema}.files_id_seq'`;
  await sql.executeSql(`SELECT setval(${sequence}, greatest($1::bigint, nextval(${sequence})))`, [last]);
}
