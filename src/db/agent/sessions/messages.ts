import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

export type Role = "user" | "assistant" | "system" | "tool";

/** The classes of trust in a message, by its author: `untrusted` is somebody outside, `system` the host's scaffolding. */
export const ORIGIN_CLASSES = ["owner", "agent", "untrusted", "system"] as const;
export type OriginClass = (typeof ORIGIN_CLASSES)[number];

export interface MessageWrite {
  seq: number;
  id: string | null;
  role: Role;
  name: string | null;
  text: string;
  size: number;
  firstLine: number;
  lineCount: number;
  at: Date;
  /** The class of the message; null if its sender did not give one. */
  originClass: OriginClass | null;
}

export interface MessageRow extends MessageWrite {
  sessionId: string;
}

const COLUMNS = `session_id AS "sessionId", seq, external_id AS id, role, name, text, size_bytes AS size,
  first_line AS "firstLine", line_count AS "lineCount", at, origin_class AS "originClass"`;

/** Returns which of these ids the session already has. */
export async function knownMessageIds(
  sql: SqlExecutor,
  schema: SchemaName,
  sessionId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT external_id AS id
       FROM ${schema}.messages
      WHERE session_id = $1
        AND external_id = ANY($2::text[])`,
    [sessionId, ids],
  );
  return new Set(rows.map((row) => row.id));
}

/** Returns which of these ids a session, given by its key, already has. */
export async function knownIdsOfSession(
  sql: SqlExecutor,
  schema: SchemaName,
  key: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql.executeSql<{ id: string }>(
    `SELECT m.external_id AS id
       FROM ${schema}.messages m
       JOIN ${schema}.sessions s ON s.id = m.session_id
      WHERE s.key = $1
        AND m.external_id = ANY($2::text[])`,
    [key, ids],
  );
  return new Set(rows.map((row) => row.id));
}

/** The fields by which a stored message is compared with a sent one. */
export interface MessageDigest {
  role: Role;
  name: string | null;
  at: Date;
  /** The SHA-256 of the text, in hexadecimal. */
  digest: string;
}

/** Returns a session's messages from the first on, up to a number of messages. */
export async function firstMessages(
  sql: SqlExecutor,
  schema: SchemaName,
  sessionId: string,
  count: number,
): Promise<MessageDigest[]> {
  const { rows } = await sql.executeSql<MessageDigest>(
    `SELECT role, name, at, encode(sha256(convert_to(text, 'UTF8')), 'hex') AS digest
       FROM ${schema}.messages
      WHERE session_id = $1
        AND seq <= $2
      ORDER BY seq`,
    [sessionId, count],
  );
  return rows;
}

export async function insertMessages(
  sql: SqlExecutor,
  schema: SchemaName,
  sessionId: string,
  messages: readonly MessageWrite[],
  now: Date,
): Promise<void> {
  await sql.executeSql(
    `INSERT INTO ${schema}.messages (session_id, seq, external_id, role, name, text, size_bytes,
                                     first_line, line_count, at, stored_at, origin_class)
     SELECT $1, n.seq, n.id, n.role, n.name, n.text, n.size, n.first_line, n.line_count, n.at, $11,
            n.origin_class
       FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[],
                   $9::int[], $10::timestamptz[], $12::text[])
         AS n (seq, id, role, name, text, size, first_line, line_count, at, origin_class)`,
    [
      sessionId,
      messages.map((message) => message.seq),
      messages.map((message) => message.id),
      messages.map((message) => message.role),
      messages.map((message) => message.name),
      messages.map((message) => message.text),
      messages.map((message) => message.size),
      messages.map((message) => message.firstLine),
      messages.map((message) => message.lineCount),
      messages.map((message) => message.at.toISOString()),
      now,
      messages.map((message) => message.originClass),
    ],
  );
}

/**
 * The limits of a page of messages. The first `least` messages are always included, however large
 * they are.
 */
export interface PageSize {
  limit: number;
  maxBytes: number;
  least: number;
}

/**
 * Returns the number of the first of a session's last messages before a number, and whether it is
 * the first message of the session.
 */
export async function startOfLast(
  sql: SqlExecutor,
  schema: SchemaName,
  sessionId: string,
  { before, limit }: { before: number; limit: number },
): Promise<{ fromSeq: number; isFirst: boolean }> {
  const { rows } = await sql.executeSql<{ seq: number | null; count: number }>(
    `SELECT min(seq) AS seq, count(*)::int AS count
       FROM (
         SELECT seq
           FROM ${schema}.messages
          WHERE session_id = $1
            AND seq < $2
          ORDER BY seq DESC
          LIMIT $3::int + 1) AS last`,
    [sessionId, before, limit],
  );
  const { seq, count } = rows[0] ?? { seq: null, count: 0 };
  return count > limit ? { fromSeq: (seq ?? 0) + 1, isFirst: false } : { fromSeq: seq ?? 1, isFirst: true };
}

/** Returns whether any message of a session had been said at a time. */
export async function isSaidBy(sql: SqlExecutor, schema: SchemaName, sessionId: string, at: Date): Promise<boolean> {
  const { rows } = await sql.executeSql<{ isSaid: boolean }>(
    `SELECT EXISTS (SELECT FROM ${schema}.messages WHERE session_id = $1 AND at <= $2) AS "isSaid"`,
    [sessionId, at],
  );
  return rows[0]?.isSaid ?? false;
}

/**
 * Returns for each session the messages from a number on, or from the message that has a line on,
 * in order, up to about `size` for each session.
 */
export async function messagesFrom(
  sql: SqlExecutor,
  schema: SchemaName,
  sessions: readonly { id: string; fromSeq: number; fromLine?: number }[],
  size: PageSize,
): Promise<MessageRow[]> {
  const { rows } = await sql.executeSql<MessageRow>(
    `SELECT m.*
       FROM unnest($1::bigint[], $2::int[], $3::int[]) AS s (id, from_seq, from_line),
            LATERAL (
              SELECT ${COLUMNS}
                FROM (
                  SELECT *, row_number() OVER (ORDER BY seq) AS n,
                         sum(size_bytes) OVER (ORDER BY seq) - size_bytes AS before
                    FROM (
                      SELECT *
                        FROM ${schema}.messages
                       WHERE session_id = s.id
                         AND seq >= s.from_seq
                         AND first_line + line_count > s.from_line
                       ORDER BY seq
                       LIMIT $4) AS page) AS sized
               WHERE n <= $5
                  OR before < $6) AS m
      ORDER BY m."sessionId", m.seq`,
    [
      sessions.map((session) => session.id),
      sessions.map((session) => session.fromSeq),
      sessions.map((session) => session.fromLine ?? 0),
      size.limit,
      size.least,
      size.maxBytes,
    ],
  );
  return rows;
}
