import { neededFactSql } from "../../../db/agent/facts/fact-changes.ts";
import { ownFile } from "../../../db/agent/files/files.ts";
import type { FileOriginal } from "../../../db/agent/files/original.ts";
import type { SnapshotRow } from "../../../db/agent/history/snapshots.ts";
import { drawNumbers } from "../../../db/agent/schema/change-number.ts";
import type { SchemaName } from "../../../db/agent/schema/schema-name.ts";
import { sameScopeSql } from "../../../db/agent/schema/scope.ts";
import type { SqlExecutor } from "../../../db/database.ts";

/** A moment in an agent's history. It includes changes up to `seq` and facts up to `lastFact`. */
export type Boundary = Pick<SnapshotRow, "seq" | "lastFact">;

/**
 * Returns the boundary of a time. Of several changes within the same millisecond it may include one
 * and leave out another.
 */
export async function boundaryAt(sql: SqlExecutor, schema: SchemaName, at: Date): Promise<Boundary> {
  const { rows } = await sql.executeSql<Boundary>(
    `SELECT greatest(0, (SELECT max(coalesce(seq, id)) FROM ${schema}.files WHERE updated_at <= $1),
                     (SELECT max(since_seq) FROM ${schema}.file_versions WHERE written_at <= $1),
                     (SELECT max(until_seq) FROM ${schema}.file_versions WHERE ended_at <= $1),
                     (SELECT max(seq) FROM ${schema}.fact_changes WHERE at <= $1))::text AS seq,
            coalesce((SELECT max(id) FROM ${schema}.facts WHERE created_at <= $1), 0)::text
              AS "lastFact"`,
    [at],
  );
  return rows[0] as Boundary;
}

/** How a file differs from its state in a snapshot. */
export interface FileDifference {
  path: string;
  /**
   * `added`: the snapshot had no such file. `removed`: the file no longer exists. `lost`: the file
   * has changed, and its former text is gone.
   */
  kind: "added" | "changed" | "removed" | "lost";
  /** The hash of the present text; null when the file does not exist. */
  hash: string | null;
  /** The version that holds the former text; null when there is none to go back to. */
  version: string | null;
  /** The size of that version in bytes. */
  size: number;
}

/** Returns the files that differ from their state in a snapshot, in path order, at most `limit`. */
export async function filesSince(
  sql: SqlExecutor,
  schema: SchemaName,
  { seq }: Boundary,
  limit: number,
): Promise<FileDifference[]> {
  const { rows } = await sql.executeSql<FileDifference>(
    `WITH was AS (
       SELECT path, content_hash, until_seq, size_bytes
         FROM ${schema}.file_versions
        WHERE since_seq <= $1
          AND until_seq > $1
          AND ${ownFile()}
     ), now AS (
       SELECT path, content_hash, coalesce(born, id) AS born
         FROM ${schema}.files
        WHERE coalesce(seq, id) > $1
          AND ${ownFile()}
     )
     SELECT coalesce(n.path, w.path) AS path, n.content_hash AS hash, w.until_seq::text AS version,
            coalesce(w.size_bytes, 0) AS size,
            CASE WHEN n.path IS NULL THEN 'removed'
                 WHEN w.path IS NOT NULL THEN 'changed'
                 WHEN n.born > $1 THEN 'added'
                 ELSE 'lost' END AS kind
       FROM now n
       FULL JOIN was w ON w.path = n.path
      WHERE n.content_hash IS DISTINCT FROM w.content_hash
      ORDER BY path
      LIMIT $2`,
    [seq, limit],
  );
  return rows;
}

/** Returns the texts of versions. */
export async function textsOfVersions(
  sql: SqlExecutor,
  schema: SchemaName,
  versions: readonly string[],
): Promise<Map<string, { content: string; mtime: Date; original: FileOriginal | null }>> {
  const { rows } = await sql.executeSql<{
    version: string;
    content: string;
    mtime: Date;
    original: FileOriginal | null;
  }>(
    // PGlite drops a byte order mark at the beginning of a value it returns.
    `SELECT until_seq::text AS version, '=' || content AS content, mtime, original
       FROM ${schema}.file_versions
      WHERE until_seq = ANY($1::bigint[])`,
    [versions],
  );
  return new Map(rows.map(({ version, content, ...row }) => [version, { ...row, content: content.slice(1) }]));
}

/** How a fact differs from its state in a snapshot. */
export interface FactDifference {
  id: string;
  kind: "added" | "changed" | "removed";
  text: string;
  subject: string | null;
  key: string | null;
  bytes: number;
  /** The whole former row as JSON text; null when the fact did not exist. */
  was: string | null;
}

/**
 * Returns the facts that differ from their state at a moment, by id, at most `limit`. The whole
 * former row is known only if a snapshot needs it. Otherwise only the end of a fact can be undone;
 * other changes of the fact, and facts that were forgotten, are not known.
 *
 * @param whole whether texts and rows are read: thousands of facts have many megabytes of them
 */
export async function factsSince(
  sql: SqlExecutor,
  schema: SchemaName,
  { seq, lastFact }: Boundary,
  limit: number,
  whole: boolean,
): Promise<FactDifference[]> {
  const { rows } = await sql.executeSql<FactDifference>(
    `WITH kept AS (
       SELECT DISTINCT ON (fact_id) fact_id AS id, seq, before
         FROM ${schema}.fact_changes
        WHERE seq > $1
          AND fact_id <= $2
          AND before IS NOT NULL
        ORDER BY fact_id, seq
     ), ended AS (
       SELECT DISTINCT c.fact_id AS id
         FROM ${schema}.fact_changes c
         LEFT JOIN kept k ON k.id = c.fact_id
        WHERE c.seq > $1
          AND c.fact_id <= $2
          AND c.kind = 'superseded'
          AND (k.id IS NULL OR k.seq > c.seq)
     ), held AS (
       SELECT id,
              before || CASE WHEN id IN (SELECT id FROM ended) THEN ${OPEN} ELSE '{}' END AS before
         FROM kept
        WHERE before <> 'null'
       UNION ALL
       SELECT f.id, to_jsonb(f) || ${OPEN}
         FROM ${schema}.facts f
         JOIN ended e ON e.id = f.id
        WHERE f.id NOT IN (SELECT id FROM kept)
     ), now AS (
       SELECT *
         FROM ${schema}.facts f
        WHERE id > $2
           OR id IN (SELECT id FROM kept)
           OR id IN (SELECT id FROM ended)
     )
     SELECT coalesce(n.id, h.id)::text AS id,
            ${whole ? "coalesce(n.text, h.before->>'text')" : "''"} AS text,
            coalesce(n.subject, h.before->>'subject') AS subject,
            coalesce(n.key, h.before->>'key') AS key,
            coalesce(n.size_bytes, (h.before->>'size_bytes')::int) AS bytes,
            ${whole ? "h.before::text" : "CASE WHEN h.id IS NOT NULL THEN '' END"} AS was,
            CASE WHEN n.id IS NULL THEN 'removed' WHEN h.id IS NULL THEN 'added' ELSE 'changed' END
              AS kind
       FROM now n
       FULL JOIN held h ON h.id = n.id
      -- JSON writes an instant in the zone of the session, and an archive in UTC.
      WHERE to_jsonb(jsonb_populate_record(NULL::${schema}.facts, h.before)) IS DISTINCT FROM
              to_jsonb(n)
      ORDER BY coalesce(n.id, h.id)
      LIMIT $3`,
    [seq, lastFact, limit],
  );
  return rows;
}

/** The values of these columns in a row of a fact that still holds. */
const OPEN = `'{"valid_to": null, "superseded_by": null, "ended_by": null}'::jsonb`;

/**
 * Restores facts to their former state under their former ids, and records the change. The caller
 * must keep other writers out.
 */
export async function putFactsBack(
  sql: SqlExecutor,
  schema: SchemaName,
  rows: readonly string[],
  { now, by }: { now: Date; by: string },
): Promise<void> {
  if (rows.length === 0) return;
  const { rows: columns } = await sql.executeSql<{ name: string }>(
    `SELECT attname::text AS name
       FROM pg_attribute
      WHERE attrelid = '${schema}.facts'::regclass
        AND attnum > 0
        AND NOT attisdropped
        AND attname <> 'id'`,
  );
  const names = columns.map(({ name }) => name);
  await sql.executeSql(
    `WITH given AS MATERIALIZED (
       SELECT number, (jsonb_populate_record(NULL::${schema}.facts, was::jsonb)).*
         FROM unnest($1::text[], $4::bigint[]) AS g (was, number)
     ),
     -- A CTE of its own, because Citus 13.2 cannot deparse an INSERT … SELECT that reads a table
     -- and has parameters.
     held AS MATERIALIZED (
       SELECT g.number, g.id,
              CASE WHEN ${neededFactSql(schema, "g.id")} THEN coalesce(to_jsonb(f), 'null') END
                AS before
         FROM given g
         LEFT JOIN ${schema}.facts f ON f.id = g.id
     ), noted AS (
       INSERT INTO ${schema}.fact_changes (seq, fact_id, kind, at, by, before)
       SELECT number, id, 'restored', $2::timestamptz, $3::text, before
         FROM held
     )
     INSERT INTO ${schema}.facts (id, ${names.join(", ")})
     OVERRIDING SYSTEM VALUE
     SELECT id, ${names.join(", ")}
       FROM given
     ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    [rows, now, by, await drawNumbers(sql, schema, rows.length)],
  );
  // A snapshot of an earlier release may know that a fact took the place of another user's fact.
  await sql.executeSql(
    `UPDATE ${schema}.facts f
        SET superseded_by = NULL
       FROM ${schema}.facts n
      WHERE f.id IN (SELECT (was::jsonb->>'id')::bigint FROM unnest($1::text[]) AS g (was))
        AND n.id = f.superseded_by
        AND NOT (${sameScopeSql("n", "f")})`,
    [rows],
  );
}
