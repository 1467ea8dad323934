import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { SCOPE_COLUMNS, SCOPE_PARTS, type Scope, type ScopeColumns } from "../schema/scope.ts";

export interface SessionRow extends ScopeColumns {
  id: string;
  /** `{channel}:{context}` */
  key: string;
  startedAt: Date;
  lastMessageAt: Date;
  messages: number;
  bytes: number;
  lastSeq: number;
  lastLine: number;
  removed: number;
  indexedSeq: number;
  unindexedBytes: number;
}

/** SQL for the columns of `SessionRow`. */
export const SESSION_COLUMNS = `id, key, started_at AS "startedAt", last_message_at AS "lastMessageAt", message_count AS messages,
  bytes::float8 AS bytes, last_seq AS "lastSeq", last_line AS "lastLine", removed, indexed_seq AS "indexedSeq",
  unindexed_bytes::float8 AS "unindexedBytes", ${SCOPE_COLUMNS}`;

const HAS_NO_SCOPE = "s.scope_user = '' AND s.scope_agent = '' AND s.scope_session = ''";
/**
 * The update of a session's scope. A session keeps its scope; a session without one takes the scope
 * of the first append that names one.
 */
const TAKES_SCOPE = SCOPE_PARTS.map(
  (part) => `scope_${part} = CASE WHEN ${HAS_NO_SCOPE} THEN excluded.scope_${part} ELSE s.scope_${part} END`,
).join(", ");

/**
 * Finds or creates a session and locks it until the transaction ends, so that appenders and
 * indexers of a session take turns. A new session is empty. The caller must add messages to it, and
 * must compare the scope.
 */
export async function lockOrCreateSession(
  sql: SqlExecutor,
  schema: SchemaName,
  key: string,
  scope: Scope,
  now: Date,
): Promise<SessionRow & { created: boolean }> {
  const { rows } = await sql.executeSql<SessionRow & { created: boolean }>(
    `INSERT INTO ${schema}.sessions AS s (key, started_at, last_message_at, message_count, bytes,
                                          last_seq, last_line, removed, indexed_seq,
                                          unindexed_bytes, next_seq, created_at, updated_at,
                                          scope_user, scope_agent, scope_session)
     VALUES ($1, $2, $2, 0, 0, 0, 0, 0, 0, 0, 0, $2, $2, $3, $4, $5)
     ON CONFLICT (key) DO UPDATE SET ${TAKES_SCOPE},
       updated_at = CASE WHEN ${HAS_NO_SCOPE} AND $3 || $4 || $5 <> '' THEN $2 ELSE s.updated_at END
     -- A row version that another one was made from has xmax set; a new row has not.
     RETURNING ${SESSION_COLUMNS}, (s.xmax = 0) AS created`,
    [key, now, scope.user ?? "", scope.agent ?? "", scope.session ?? ""],
  );
  return rows[0] as SessionRow & { created: boolean };
}

/** Returns a session and locks it until the transaction ends. */
export async function lockSession(sql: SqlExecutor, schema: SchemaName, key: string): Promise<SessionRow | undefined> {
  const { rows } = await sql.executeSql<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM ${schema}.sessions WHERE key = $1 FOR UPDATE`,
    [key],
  );
  return rows[0];
}

/**
 * Locks the sessions with these keys until the transaction ends. All transactions lock sessions in
 * the order of their ids.
 *
 * @returns the keys that exist
 */
export async function lockSessions(
  sql: SqlExecutor,
  schema: SchemaName,
  keys: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql.executeSql<{ key: string }>(
    `SELECT key FROM ${schema}.sessions WHERE key = ANY($1::text[]) ORDER BY id FOR UPDATE`,
    [keys],
  );
  return new Set(rows.map((row) => row.key));
}

/**
 * Locks some conversations of users until the transaction ends, the oldest first.
 *
 * @returns their ids and sizes
 */
export async function lockSessionsOfUsers(
  sql: SqlExecutor,
  schema: SchemaName,
  users: readonly string[],
  limit: number,
): Promise<{ id: string; messages: number; bytes: number }[]> {
  const { rows } = await sql.executeSql<{ id: string; messages: number; bytes: number }>(
    `SELECT id::text AS id, message_count AS messages, bytes::float8 AS bytes
       FROM ${schema}.sessions
      WHERE scope_user = ANY($1::text[])
      ORDER BY id
      LIMIT $2
        FOR UPDATE`,
    [users, limit],
  );
  return rows;
}

/** Counts the conversations of users and their messages. */
export async function countSessionsOfUsers(
  sql: SqlExecutor,
  schema: SchemaName,
  users: readonly string[],
): Promise<{ sessions: number; messages: number }> {
  const { rows } = await sql.executeSql<{ sessions: number; messages: number }>(
    `SELECT count(*)::int AS sessions, coalesce(sum(message_count), 0)::float8 AS messages
       FROM ${schema}.sessions
      WHERE scope_user = ANY($1::text[])`,
    [users],
  );
  return rows[0] ?? { sessions: 0, messages: 0 };
}

export interface Appended {
  count: number;
  bytes: number;
  lines: number;
  /** The times of the earliest and the latest appended message. */
  first: Date;
  last: Date;
}

/** Updates a locked session's counts for appended messages. */
export async function countAppended(
  sql: SqlExecutor,
  schema: SchemaName,
  sessionId: string,
  appended: Appended,
  now: Date,
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.sessions
        SET message_count = message_count + $2, bytes = bytes + $3, last_seq = last_seq + $2,
            last_line = last_line + $4, unindexed_bytes = unindexed_bytes + $3, updated_at = $7,
            started_at = CASE WHEN message_count = 0 THEN $5 ELSE least(started_at, $5) END,
            last_message_at = CASE WHEN message_count = 0 THEN $6
                                   ELSE greatest(last_message_at, $6) END
      WHERE id = $1`,
    [sessionId, appended.count, appended.bytes, appended.lines, appended.first, appended.last, now],
  );
}

/**
 * Deletes sessions with their messages and chunks.
 *
 * @returns how many chunks they had in the generation
 */
export async function deleteSessions(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await sql.executeSql<{ chunks: number }>(
    `SELECT count(*)::int AS chunks
       FROM ${schema}.chunks_${generationId}
      WHERE session_id = ANY($1::bigint[])`,
    [ids],
  );
  await sql.executeSql(`DELETE FROM ${schema}.sessions WHERE id = ANY($1::bigint[])`, [ids]);
  return rows[0]?.chunks ?? 0;
}

/** Returns the ids of sessions whose first message was stored after a time. */
export async function sessionsSince(sql: SqlExecutor, schema: SchemaName, at: Date): Promise<string[]> {
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT id::text AS id FROM ${schema}.sessions WHERE created_at > $1`,
    [at],
  );
  return rows.map(({ id }) => id);
}

export async function readSession(
  sql: SqlExecutor,
  schema: SchemaName,
  key: string,
): Promise<(SessionRow & { lastMessageId: string | null }) | undefined> {
  const { rows } = await sql.executeSql<SessionRow & { lastMessageId: string | null }>(
    `SELECT ${SESSION_COLUMNS},
            (
              SELECT m.external_id
                FROM ${schema}.messages m
               WHERE m.session_id = s.id
                 AND m.seq = s.last_seq) AS "lastMessageId"
       FROM ${schema}.sessions s
      WHERE key = $1`,
    [key],
  );
  return rows[0];
}

/** Returns the scope of a session; undefined when the session does not exist. */
export async function scopeOfSession(
  sql: SqlExecutor,
  schema: SchemaName,
  key: string,
): Promise<ScopeColumns | undefined> {
  const { rows } = await sql.executeSql<ScopeColumns>(
    `SELECT ${SCOPE_COLUMNS} FROM ${schema}.sessions WHERE key = $1`,
    [key],
  );
  return rows[0];
}

/**
 * Returns one page of sessions in the order of their keys, after `after`.
 *
 * @param page `scope`: only sessions whose scope has these parts; it may have others
 */
export async function listSessions(
  sql: SqlExecutor,
  schema: SchemaName,
  page: { prefix: string; after: string; limit: number; scope?: Scope | undefined },
): Promise<SessionRow[]> {
  const values: unknown[] = [page.after, page.prefix, page.limit];
  const parts = SCOPE_PARTS.flatMap((part) => {
    const wanted = page.scope?.[part];
    return wanted === undefined ? [] : [` AND scope_${part} = $${values.push(wanted)}`];
  });
  const { rows } = await sql.executeSql<SessionRow>(
    `SELECT ${SESSION_COLUMNS}
       FROM ${schema}.sessions
      WHERE key > $1
        AND starts_with(key, $2)
        AND key >= $2${parts.join("")}
      ORDER BY key
      LIMIT $3`,
    values,
  );
  return rows;
}

/**
 * Returns the sessions that were changed at a time or later, in no particular order. Reads the
 * whole table once, without an index.
 */
export async function changedSessions(sql: SqlExecutor, schema: SchemaName, since: Date): Promise<SessionRow[]> {
  const { rows } = await sql.executeSql<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM ${schema}.sessions WHERE updated_at >= $1`,
    [since],
  );
  return rows;
}

/** Returns the totals of all sessions of an agent. */
export async function sumSessions(
  sql: SqlExecutor,
  schema: SchemaName,
): Promise<{
  sessions: number;
  messages: number;
  bytes: number;
  unindexedMessages: number;
  lastChangeAt: Date | null;
}> {
  const { rows } = await sql.executeSql<{
    sessions: number;
    messages: number;
    bytes: number;
    unindexedMessages: number;
    lastChangeAt: Date | null;
  }>(
    `SELECT count(*)::int AS sessions, coalesce(sum(message_count), 0)::int AS messages,
            coalesce(sum(bytes), 0)::float8 AS bytes,
            coalesce(sum(last_seq - indexed_seq), 0)::int AS "unindexedMessages",
            max(updated_at) AS "lastChangeAt"
       FROM ${schema}.sessions`,
  );
  return rows[0] ?? { sessions: 0, messages: 0, bytes: 0, unindexedMessages: 0, lastChangeAt: null };
}

/** Returns whether a session other than the given one has messages that the index lacks. */
export async function hasUnindexed(sql: SqlExecutor, schema: SchemaName, exceptId: string): Promise<boolean> {
  const { rows } = await sql.executeSql(
    `SELECT 1 FROM ${schema}.sessions WHERE last_seq > indexed_seq AND id <> $1 LIMIT 1`,
    [exceptId],
  );
  return rows.length > 0;
}
