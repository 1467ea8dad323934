import type { FactRow } from "../../../db/agent/facts/facts.ts";
import { foldedSubject } from "../../../db/agent/facts/subject.ts";
import type { SchemaName } from "../../../db/agent/schema/schema-name.ts";
import { type Scope, sameScopeSql } from "../../../db/agent/schema/scope.ts";
import type { MessageWrite } from "../../../db/agent/sessions/messages.ts";
import type { SqlExecutor } from "../../../db/database.ts";

/** A session in an archive; its other values follow from its messages. */
export interface SessionRestore {
  key: string;
  lastSeq: number;
  lastLine: number;
  removed: number;
  scope?: Scope | undefined;
}

/** Inserts sessions without messages. `settleSessions` completes them. */
export async function restoreSessions(
  sql: SqlExecutor,
  schema: SchemaName,
  sessions: readonly SessionRestore[],
  now: Date,
): Promise<void> {
  await sql.executeSql(
    `INSERT INTO ${schema}.sessions (key, started_at, last_message_at, message_count, bytes,
                                     last_seq, last_line, removed, indexed_seq, unindexed_bytes,
                                     next_seq, created_at, updated_at, scope_user, scope_agent,
                                     scope_session)
     SELECT n.key, $5, $5, 0, 0, n.last_seq, n.last_line, n.removed, n.last_seq, 0, 0, $5, $5,
            n.scope_user, n.scope_agent, n.scope_session
       FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], $6::text[], $7::text[], $8::text[])
         AS n (key, last_seq, last_line, removed, scope_user, scope_agent, scope_session)`,
    [
      sessions.map((one) => one.key),
      sessions.map((one) => one.lastSeq),
      sessions.map((one) => one.lastLine),
      sessions.map((one) => one.removed),
      now,
      sessions.map((one) => one.scope?.user ?? ""),
      sessions.map((one) => one.scope?.agent ?? ""),
      sessions.map((one) => one.scope?.session ?? ""),
    ],
  );
}

export interface MessageRestore extends MessageWrite {
  session: string;
  storedAt: Date;
}

/**
 * Inserts messages of existing sessions.
 *
 * @returns how many; fewer than given when a session is missing
 */
export async function restoreMessages(
  sql: SqlExecutor,
  schema: SchemaName,
  messages: readonly MessageRestore[],
): Promise<number> {
  const column = <T>(value: (message: MessageRestore) => T) => messages.map(value);
  const { rows } = await sql.executeSql<{ seq: number }>(
    `INSERT INTO ${schema}.messages (session_id, seq, external_id, role, name, text, size_bytes,
                                     first_line, line_count, at, stored_at, origin_class)
     SELECT s.id, n.seq, n.id, n.role, n.name, n.text, n.size, n.first_line, n.line_count, n.at,
            n.stored_at, n.origin_class
       FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[],
                   $8::int[], $9::int[], $10::timestamptz[], $11::timestamptz[], $12::text[])
         AS n (key, seq, id, role, name, text, size, first_line, line_count, at, stored_at,
               origin_class)
       JOIN ${schema}.sessions s ON s.key = n.key
     RETURNING seq`,
    [
      column((one) => one.session),
      column((one) => one.seq),
      column((one) => one.id),
      column((one) => one.role),
      column((one) => one.name),
      column((one) => one.text),
      column((one) => one.size),
      column((one) => one.firstLine),
      column((one) => one.lineCount),
      column((one) => one.at.toISOString()),
      column((one) => one.storedAt.toISOString()),
      column((one) => one.originClass),
    ],
  );
  return rows.length;
}

/**
 * Sets the values of restored sessions that follow from their messages, and deletes sessions that
 * have none. The index starts before the first existing message, because retention may have removed
 * messages with lower numbers.
 */
export async function settleSessions(sql: SqlExecutor, schema: SchemaName): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.sessions s
        SET message_count = m.count, bytes = m.bytes, unindexed_bytes = m.bytes,
            started_at = m.started_at, last_message_at = m.last_message_at,
            indexed_seq = m.first_seq - 1, last_seq = greatest(s.last_seq, m.last_seq),
            last_line = greatest(s.last_line, m.last_line)
       FROM (
         SELECT session_id, count(*)::int AS count, sum(size_bytes) AS bytes,
                min(least(at, stored_at)) AS started_at,
                max(least(at, stored_at)) AS last_message_at, min(seq) AS first_seq,
                max(seq) AS last_seq, max(first_line + line_count - 1) AS last_line
           FROM ${schema}.messages
          GROUP BY session_id) AS m
      WHERE m.session_id = s.id`,
  );
  await sql.executeSql(`DELETE FROM ${schema}.sessions WHERE message_count = 0`);
}

const SCOPE_NAME = "concat_ws(chr(31), f.scope_user, f.scope_agent, f.scope_session)";
const part = (name: string, ofSeveral: string) =>
  `CASE WHEN count(DISTINCT ${SCOPE_NAME}) = 1 THEN min(f.scope_${name}) ELSE ${ofSeveral} END AS scope_${name}`;

/**
 * Gives each restored session without a scope the scope of the facts that were captured from its
 * messages: archives of older releases do not record the scope of appended messages. A session with
 * facts of several scopes gets a scope of its own: only readers of this session see it. Migration
 * 0021 does the same.
 */
export async function deriveSessionScopes(sql: SqlExecutor, schema: SchemaName): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.sessions s
        SET scope_user = d.scope_user, scope_agent = d.scope_agent, scope_session = d.scope_session
       FROM (
         SELECT f.source->>'session' AS key, ${part("user", "''")}, ${part("agent", "''")},
                ${part("session", "f.source->>'session'")}
           FROM ${schema}.facts f
          WHERE f.source->>'kind' = 'message'
            AND f.source->>'message' IS NOT NULL
            AND (f.scope_user <> '' OR f.scope_agent <> '' OR f.scope_session <> '')
          GROUP BY f.source->>'session') AS d
      WHERE s.key = d.key
        AND s.scope_user = ''
        AND s.scope_agent = ''
        AND s.scope_session = ''`,
  );
}

export type FactRestore = Omit<FactRow, "supersededBy"> & { textHash: string };

/** Inserts facts under their former ids. */
export async function restoreFacts(sql: SqlExecutor, schema: SchemaName, facts: readonly FactRestore[]): Promise<void> {
  const column = <T>(value: (fact: FactRestore) => T) => facts.map(value);
  const instant = (value: (fact: FactRestore) => Date | null) =>
    facts.map((fact) => value(fact)?.toISOString() ?? null);
  await sql.executeSql(
    `INSERT INTO ${schema}.facts (id, text, text_hash, key, category, importance, scope_user,
                                  scope_agent, scope_session, tags, source, decay_class, valid_from,
                                  valid_to, ended_by, expires_at, size_bytes, created_at,
                                  updated_at, confirmed_at, subject, subject_folded)
     OVERRIDING SYSTEM VALUE
     SELECT n.id, n.text, n.text_hash, n.key, n.category, n.importance, n.scope_user, n.scope_agent,
            n.scope_session, ARRAY(SELECT jsonb_array_elements_text(n.tags::jsonb)),
            n.source::jsonb, n.decay_class, n.valid_from, n.valid_to, n.ended_by, n.expires_at,
            octet_length(n.text), n.created_at, n.updated_at, n.confirmed_at, n.subject,
            n.subject_folded
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::real[],
                   $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
                   $13::timestamptz[], $14::timestamptz[], $15::text[], $16::timestamptz[],
                   $17::timestamptz[], $18::timestamptz[], $19::timestamptz[], $20::text[],
                   $21::text[])
         AS n (id, text, text_hash, key, category, importance, scope_user, scope_agent,
               scope_session, tags, source, decay_class, valid_from, valid_to, ended_by, expires_at,
               created_at, updated_at, confirmed_at, subject, subject_folded)`,
    [
      column((fact) => fact.id),
      column((fact) => fact.text),
      column((fact) => fact.textHash),
      column((fact) => fact.key),
      column((fact) => fact.category),
      column((fact) => fact.importance),
      column((fact) => fact.user),
      column((fact) => fact.agent),
      column((fact) => fact.session),
      column((fact) => JSON.stringify(fact.tags)),
      column((fact) => JSON.stringify(fact.source)),
      column((fact) => fact.decayClass),
      instant((fact) => fact.validFrom),
      instant((fact) => fact.validTo),
      column((fact) => fact.endedBy),
      instant((fact) => fact.expiresAt),
      instant((fact) => fact.createdAt),
      instant((fact) => fact.updatedAt),
      instant((fact) => fact.confirmedAt),
      column((fact) => fact.subject),
      column((fact) => foldedSubject(fact.subject)),
    ],
  );
}

/**
 * Stores which fact replaced which, if the replaced fact has ended, and both exist and have the
 * same scope.
 */
export async function restoreSupersessions(
  sql: SqlExecutor,
  schema: SchemaName,
  links: readonly { id: string; by: string }[],
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.facts f
        SET superseded_by = n.by
       FROM unnest($1::bigint[], $2::bigint[]) AS n (id, by)
      WHERE f.id = n.id
        AND f.valid_to IS NOT NULL
        AND n.by <> n.id
        AND EXISTS (
          SELECT
            FROM ${schema}.facts AS later
           WHERE later.id = n.by
             AND ${sameScopeSql("later", "f")})`,
    [links.map((one) => one.id), links.map((one) => one.by)],
  );
}

/**
 * Returns the greatest id of a restored fact, including facts that only the history contains: a
 * rollback brings them back under their ids. "0" when there is none.
 */
export async function lastFactId(sql: SqlExecutor, schema: SchemaName): Promise<string> {
  const { rows } = await sql.executeSql<{ last: string }>(
    `SELECT greatest(0, (SELECT max(id) FROM ${schema}.facts),
                     (SELECT max(fact_id) FROM ${schema}.fact_changes),
                     (SELECT max(last_fact) FROM ${schema}.snapshots))::text AS last`,
  );
  return rows[0]?.last ?? "0";
}

/**
 * Sets the sequence of fact ids to continue after this id. Run with the service's own role, which
 * owns the sequence.
 */
export async function continueFactIds(sql: SqlExecutor, schema: SchemaName, last: string): Promise<void> {
  await sql.executeSql("SELECT setval(pg_get_serial_sequence($1, 'id'), $2::bigint) WHERE $2::bigint > 0", [
    `${schema}.facts`,
    last,
  ]);
}
