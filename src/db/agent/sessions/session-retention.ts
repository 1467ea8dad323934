import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/** The time when a message was said, or when it arrived if its sender's clock was ahead. */
const AGE = "least(at, stored_at)";

/**
 * Returns and locks sessions whose messages are all from before `cutoff`, by id, with at most
 * `maxMessages` messages in total. Larger sessions are left to be deleted in parts.
 */
export async function lockExpiredSessions(
  sql: SqlExecutor,
  schema: SchemaName,
  cutoff: Date,
  page: { limit: number; maxMessages: number },
): Promise<{ id: string; messages: number; bytes: number }[]> {
  const { rows } = await sql.executeSql<{ id: string; messages: number; bytes: number }>(
    `SELECT id, message_count AS messages, bytes::float8 AS bytes
       FROM ${schema}.sessions
      WHERE last_message_at < $1
        AND id IN (
          SELECT id
            FROM (
              SELECT id, sum(message_count) OVER (ORDER BY id) AS total
                FROM (
                  SELECT id, message_count
                    FROM ${schema}.sessions
                   WHERE last_message_at < $1
                     AND message_count <= $3
                   ORDER BY id
                   LIMIT $2) AS page) AS sized
           WHERE total <= $3)
      ORDER BY id
        FOR UPDATE`,
    [cutoff, page.limit, page.maxMessages],
  );
  return rows;
}

/** A session that has messages from before `cutoff`. */
export interface AgeingSession {
  id: string;
  key: string;
  removed: number;
  indexedSeq: number;
  nextGeneration: number | null;
  nextSeq: number;
}

const AGEING = `id, key, removed, indexed_seq AS "indexedSeq", next_generation AS "nextGeneration", next_seq AS "nextSeq"`;

/** Returns the first session after `afterId` that has messages from before `cutoff`. */
export async function nextAgeingSession(
  sql: SqlExecutor,
  schema: SchemaName,
  cutoff: Date,
  afterId: string,
): Promise<AgeingSession | undefined> {
  const { rows } = await sql.executeSql<AgeingSession>(
    `SELECT ${AGEING}
       FROM ${schema}.sessions
      WHERE started_at < $1
        AND id > $2
      ORDER BY id
      LIMIT 1`,
    [cutoff, afterId],
  );
  return rows[0];
}

/** Returns the present state of a session and locks it until the transaction ends. */
export async function lockAgeingSession(
  sql: SqlExecutor,
  schema: SchemaName,
  id: string,
): Promise<AgeingSession | undefined> {
  const { rows } = await sql.executeSql<AgeingSession>(
    `SELECT ${AGEING} FROM ${schema}.sessions WHERE id = $1 FOR UPDATE`,
    [id],
  );
  return rows[0];
}

/**
 * Returns the first messages of a session that are from before `cutoff`, with at most `span`
 * successive numbers.
 */
export async function expiredMessages(
  sql: SqlExecutor,
  schema: SchemaName,
  sessionId: string,
  cutoff: Date,
  span: number,
): Promise<{ seq: number; size: number }[]> {
  const { rows } = await sql.executeSql<{ seq: number; size: number }>(
    `SELECT seq, size_bytes AS size
       FROM ${schema}.messages
      WHERE session_id = $1
        AND ${AGE} < $2
      ORDER BY seq
      LIMIT $3`,
    [sessionId, cutoff, span],
  );
  const first = rows[0]?.seq ?? 0;
  return rows.filter((row) => row.seq < first + span);
}

/**
 * Deletes messages of a locked session, and deletes the session if it has none left. The caller
 * must delete or replace their chunks.
 *
 * @returns whether the session was deleted
 */
export async function removeMessages(
  sql: SqlExecutor,
  schema: SchemaName,
  sessionId: string,
  seqs: readonly number[],
  now: Date,
): Promise<boolean> {
  await sql.executeSql(`DELETE FROM ${schema}.messages WHERE session_id = $1 AND seq = ANY($2::int[])`, [
    sessionId,
    seqs,
  ]);
  const { rows } = await sql.executeSql<{ messages: number }>(
    `UPDATE ${schema}.sessions s
        SET removed = removed + $2, updated_at = $3, message_count = m.messages, bytes = m.bytes,
            unindexed_bytes = m.unindexed, started_at = coalesce(m.first, $3),
            last_message_at = coalesce(m.last, $3)
       FROM (
         SELECT count(*)::int AS messages, coalesce(sum(size_bytes), 0) AS bytes,
                min(${AGE}) AS first, max(${AGE}) AS last,
                coalesce(sum(size_bytes) FILTER (WHERE seq > x.indexed_seq), 0) AS unindexed
           FROM ${schema}.sessions x
           LEFT JOIN ${schema}.messages ON session_id = x.id
          WHERE x.id = $1) AS m
      WHERE s.id = $1
     RETURNING s.message_count AS messages`,
    [sessionId, seqs.length, now],
  );
  if (rows[0] && rows[0].messages > 0) return false;
  await sql.executeSql(`DELETE FROM ${schema}.sessions WHERE id = $1`, [sessionId]);
  return true;
}
