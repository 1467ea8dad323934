import { fromSql } from "pgvector";
import { FACT_COLUMNS, type FactRow } from "../../../db/agent/facts/facts.ts";
import { ORIGIN, ownFile } from "../../../db/agent/files/files.ts";
import { type FileOriginal, originalSql } from "../../../db/agent/files/original.ts";
import type { SnapshotRow } from "../../../db/agent/history/snapshots.ts";
import type { SchemaName } from "../../../db/agent/schema/schema-name.ts";
import type { OriginClass, Role } from "../../../db/agent/sessions/messages.ts";
import type { SqlExecutor } from "../../../db/database.ts";

/**
 * The limits of a page of texts: rows, and about this many bytes. The first row is always returned.
 */
export interface ArchivePage {
  limit: number;
  maxBytes: number;
}

/** The state that an archive contains: changes before `seq`, and facts up to `lastFact`. */
export type ArchivedState = Pick<SnapshotRow, "seq" | "lastFact">;

export interface ArchivedFileRow {
  path: string;
  content: string;
  mtime: Date;
  origin: string | null;
  original: FileOriginal | null;
  seq: number;
  born: number;
  writtenAt: Date;
  writtenBy: string | null;
}

/**
 * Returns the agent's own files in path order after `after`. Files of the server's folders, which
 * have absolute paths, are left out.
 */
export async function filesForArchive(
  sql: SqlExecutor,
  schema: SchemaName,
  { seq }: ArchivedState,
  after: string,
  { limit, maxBytes }: ArchivePage,
): Promise<ArchivedFileRow[]> {
  const page = `path > $1 AND ${ownFile()}`;
  const { rows } = await sql.executeSql<ArchivedFileRow>(
    // PGlite drops a byte order mark at the beginning of a value.
    `WITH standing AS (
       (
         SELECT path, content, mtime, ${ORIGIN} AS origin, ${originalSql()} AS original,
                coalesce(seq, id) AS seq, coalesce(born, id) AS born, updated_at AS written_at,
                written_by, size_bytes
           FROM ${schema}.files
          WHERE ${page}
            AND coalesce(seq, id) < $4
          ORDER BY path
          LIMIT $2)
       UNION ALL (
         SELECT path, content, mtime, origin, original, since_seq, born, written_at, written_by,
                size_bytes
           FROM ${schema}.file_versions
          WHERE ${page}
            AND since_seq < $4
            AND until_seq > $4
          ORDER BY path
          LIMIT $2)
     )
     SELECT path, '=' || content AS content, mtime, origin, original, seq::float8 AS seq,
            born::float8 AS born, written_at AS "writtenAt", written_by AS "writtenBy"
       FROM (
         SELECT *, sum(size_bytes) OVER (ORDER BY path) - size_bytes AS before
           FROM (
             SELECT *
               FROM standing
              ORDER BY path
              LIMIT $2) AS page) AS sized
      WHERE before < $3
      ORDER BY path`,
    [after, limit, maxBytes, seq],
  );
  return rows.map((row) => ({ ...row, content: row.content.slice(1) }));
}

export interface ArchivedMessageRow {
  sessionId: string;
  session: string;
  seq: number;
  id: string | null;
  role: Role;
  name: string | null;
  text: string;
  firstLine: number;
  at: Date;
  storedAt: Date;
  originClass: OriginClass | null;
}

/**
 * Returns messages of all sessions up to `lastSession`, in the order of sessions and numbers, after
 * a position.
 */
export async function messagesForArchive(
  sql: SqlExecutor,
  schema: SchemaName,
  range: { afterSession: string; afterSeq: number; lastSession: string },
  { limit, maxBytes }: ArchivePage,
): Promise<ArchivedMessageRow[]> {
  const { rows } = await sql.executeSql<ArchivedMessageRow>(
    `SELECT m.session_id AS "sessionId", s.key AS session, m.seq, m.external_id AS id, m.role,
            m.name, '=' || m.text AS text, m.first_line AS "firstLine", m.at,
            m.stored_at AS "storedAt", m.origin_class AS "originClass"
       FROM (
         SELECT *, sum(size_bytes) OVER (ORDER BY session_id, seq) - size_bytes AS before
           FROM (
             SELECT *
               FROM ${schema}.messages
              WHERE (session_id, seq) > ($1, $2)
                AND session_id <= $3
              ORDER BY session_id, seq
              LIMIT $4) AS page) AS m
       JOIN ${schema}.sessions s ON s.id = m.session_id
      WHERE m.before < $5
      ORDER BY m.session_id, m.seq`,
    [range.afterSession, range.afterSeq, range.lastSession, limit, maxBytes],
  );
  return rows.map((row) => ({ ...row, text: row.text.slice(1) }));
}

/**
 * Returns a WITH clause that defines the relation `facts` as it was in a state; $1 and $2 are the
 * state's numbers.
 */
function factsAt(schema: SchemaName): string {
  return `WITH was AS (
      SELECT DISTINCT ON (fact_id) fact_id, before
        FROM ${schema}.fact_changes
       WHERE seq > $1
         AND fact_id <= $2
         AND before IS NOT NULL
       ORDER BY fact_id, seq
    ), facts AS (
      SELECT f.*
        FROM ${schema}.facts f
       WHERE id <= $2
         AND id NOT IN (SELECT fact_id FROM was)
      UNION ALL
      SELECT (jsonb_populate_record(NULL::${schema}.facts, before)).*
        FROM was
       WHERE before <> 'null'
    )`;
}

/** Returns facts by id after `afterId`, including facts that no longer hold. */
export async function factsForArchive(
  sql: SqlExecutor,
  schema: SchemaName,
  { seq, lastFact }: ArchivedState,
  afterId: string,
  limit: number,
): Promise<FactRow[]> {
  const { rows } = await sql.executeSql<FactRow>(
    `${factsAt(schema)}
     SELECT ${FACT_COLUMNS}
       FROM facts
      WHERE facts.id > $3
      ORDER BY facts.id
      LIMIT $4`,
    [seq, lastFact, afterId, limit],
  );
  return rows;
}

/** Returns which fact replaced which, by the replaced fact's id after `afterId`. */
export async function supersessionsForArchive(
  sql: SqlExecutor,
  schema: SchemaName,
  { seq, lastFact }: ArchivedState,
  afterId: string,
  limit: number,
): Promise<{ id: string; by: string }[]> {
  const { rows } = await sql.executeSql<{ id: string; by: string }>(
    `${factsAt(schema)}
     SELECT id::text AS id, superseded_by::text AS by
       FROM facts
      WHERE facts.id > $3
        AND superseded_by IS NOT NULL
      ORDER BY facts.id
      LIMIT $4`,
    [seq, lastFact, afterId, limit],
  );
  return rows;
}

/**
 * Returns embeddings of a generation, each with the hash of its text, by chunk after `afterId`.
 * Leaves out files of the server's folders.
 */
export async function vectorsForArchive(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  afterId: string,
  limit: number,
): Promise<{ id: string; hash: string; embedding: number[] }[]> {
  const { rows } = await sql.executeSql<{ id: string; hash: string; embedding: string }>(
    `SELECT c.id::text AS id, c.hash, v.embedding::text AS embedding
       FROM ${schema}.vectors_${generationId} v
       JOIN ${schema}.chunks_${generationId} c ON c.id = v.chunk_id
      WHERE v.chunk_id > $1
        AND v.embedding IS NOT NULL
        AND NOT EXISTS (
          SELECT
            FROM ${schema}.files f
           WHERE f.id = c.file_id
             AND NOT ${ownFile("f.path")})
      ORDER BY v.chunk_id
      LIMIT $2`,
    [afterId, limit],
  );
  return rows.map(({ embedding, ...row }) => ({ ...row, embedding: fromSql(embedding) as number[] }));
}
