import type { SqlExecutor } from "../../database.ts";
import { likePattern } from "../schema/like-pattern.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { SCOPE_PARTS, type Scope } from "../schema/scope.ts";
import { SESSION_COLUMNS, type SessionRow } from "./sessions.ts";

/**
 * The number of conversations that a page with a filter may read (`MAX_LOOKED_AT`), and the number
 * whose last messages it may read to find a text (`MAX_LOOKED_INTO`, `LAST_MESSAGES`). Each takes
 * about a tenth of a second.
 */
export const MAX_LOOKED_AT = 5000;
export const MAX_LOOKED_INTO = 300;
const LAST_MESSAGES = 100;
/** The most characters of a message that are returned. */
const MAX_CHARS = 2000;

/** The conditions that conversations must meet. */
export interface SessionFilter {
  /** Only conversations whose scope has these parts. */
  scope?: Scope | undefined;
  /** Only keys that begin with this text. */
  prefix: string;
  /** The first part of the key, such as `slack`. */
  channel?: string | undefined;
  /** Only conversations for this user, or in which somebody of this name has spoken. */
  person?: string | undefined;
  /** Only conversations with this text in their key or in one of their last messages. */
  contains?: string | undefined;
  /** The times of the last message. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** The place of a conversation in the list. */
export interface RecentPlace {
  /** The time of its last message in microseconds since 1970. */
  micros: string;
  id: string;
}

const MICROS = "(extract(epoch FROM s.last_message_at) * 1000000)::bigint";

function lookedAtSql(schema: SchemaName, filter: SessionFilter, after: RecentPlace | undefined, values: unknown[]) {
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const conditions = SCOPE_PARTS.flatMap((part) => {
    const wanted = filter.scope?.[part];
    return wanted === undefined ? [] : [`s.scope_${part} = ${bind(wanted, "text")}`];
  });
  if (filter.since) conditions.push(`s.last_message_at >= ${bind(filter.since, "timestamptz")}`);
  if (filter.until) conditions.push(`s.last_message_at <= ${bind(filter.until, "timestamptz")}`);
  if (after) {
    const at = `timestamptz 'epoch' + ${bind(after.micros, "bigint")} * interval '1 microsecond'`;
    conditions.push(`(s.last_message_at, s.id) < (${at}, ${bind(after.id, "bigint")})`);
  }
  const most = filter.contains === undefined ? MAX_LOOKED_AT : MAX_LOOKED_INTO;
  const where = conditions.length === 0 ? "true" : conditions.join(" AND ");
  return { most, from: `FROM ${schema}.sessions s WHERE ${where} ORDER BY s.last_message_at DESC, s.id DESC` };
}

/** Returns the SQL of the number of the last message of a conversation that contains a text. */
function foundSql(schema: SchemaName, pattern: string): string {
  return `(
      SELECT m.seq
        FROM (
          SELECT seq, text
            FROM ${schema}.messages
           WHERE session_id = s.id
           ORDER BY seq DESC
           LIMIT ${LAST_MESSAGES}) AS m
       WHERE m.text ILIKE ${pattern}
       ORDER BY m.seq DESC
       LIMIT 1)`;
}

/**
 * Returns one page of conversations, the one with the latest message first.
 *
 * @returns `found`: the number of the last message with the text of the filter
 */
export async function recentSessions(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: SessionFilter,
  { after, limit }: { after: RecentPlace | undefined; limit: number },
): Promise<(SessionRow & RecentPlace & { found: number | null })[]> {
  const values: unknown[] = [limit];
  const { from, most } = lookedAtSql(schema, filter, after, values);
  const bind = (value: string) => `$${values.push(value)}::text`;
  const conditions: string[] = [];
  if (filter.prefix !== "") conditions.push(`starts_with(s.key, ${bind(filter.prefix)})`);
  if (filter.channel !== undefined) conditions.push(`starts_with(s.key, ${bind(`${filter.channel}:`)})`);
  if (filter.person !== undefined) {
    const name = bind(filter.person);
    conditions.push(`(s.scope_user = ${name} OR EXISTS (
        SELECT
          FROM ${schema}.messages m
         WHERE m.name IS NOT NULL
           AND split_part(m.name, ' ', 1) = split_part(${name}, ' ', 1)
           AND m.session_id = s.id
           AND m.name = ${name}))`);
  }
  const pattern = filter.contains === undefined ? undefined : bind(likePattern(filter.contains));
  if (pattern) conditions.push(`(s.key ILIKE ${pattern} OR found IS NOT NULL)`);
  const { rows } = await sql.executeSql<SessionRow & RecentPlace & { found: number | null }>(
    `SELECT ${SESSION_COLUMNS}, ${MICROS}::text AS micros, found
       FROM (SELECT s.*, ${pattern ? foundSql(schema, pattern) : "NULL::int"} AS found
               FROM (SELECT * ${from} LIMIT ${most}) AS s) AS s
      WHERE ${conditions.length === 0 ? "true" : conditions.join(" AND ")}
      ORDER BY s.last_message_at DESC, s.id DESC
      LIMIT $1`,
    values,
  );
  return rows;
}

/**
 * Returns the last conversation that a page has looked at; undefined when it has looked at all of
 * them, so that no page follows.
 */
export async function lastLookedAt(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: SessionFilter,
  after: RecentPlace | undefined,
): Promise<RecentPlace | undefined> {
  const values: unknown[] = [];
  const { from, most } = lookedAtSql(schema, filter, after, values);
  const { rows } = await sql.executeSql<RecentPlace>(
    `SELECT s.id::text AS id, ${MICROS}::text AS micros ${from} OFFSET ${most - 1} LIMIT 1`,
    values,
  );
  return rows[0];
}

/** The content of a conversation in a few words. */
export interface SessionWords {
  id: string;
  /** The names of the speakers in the last messages. */
  people: string[];
  first: string | null;
  last: string | null;
  lastRole: string | null;
  lastName: string | null;
  /** The text of the message that a filter found. */
  found: string | null;
}

/** Returns the first and the last words of conversations, and who spoke last in them. */
export async function wordsOfSessions(
  sql: SqlExecutor,
  schema: SchemaName,
  sessions: readonly { id: string; found: number | null }[],
): Promise<Map<string, SessionWords>> {
  if (sessions.length === 0) return new Map();
  const { rows } = await sql.executeSql<SessionWords>(
    `SELECT g.id::text AS id, l.people, f.text AS first, e.text AS last, e.role AS "lastRole", e.name AS "lastName",
            left(h.text, ${10 * MAX_CHARS}) AS found
       FROM unnest($1::bigint[], $2::int[]) AS g (id, found)
       LEFT JOIN LATERAL (
              SELECT array_agg(DISTINCT name) FILTER (WHERE name IS NOT NULL) AS people
                FROM (
                  SELECT name
                    FROM ${schema}.messages
                   WHERE session_id = g.id
                   ORDER BY seq DESC
                   LIMIT ${LAST_MESSAGES}) AS m) AS l ON true
       LEFT JOIN LATERAL (
              SELECT left(text, ${MAX_CHARS}) AS text
                FROM ${schema}.messages
               WHERE session_id = g.id
               ORDER BY seq
               LIMIT 1) AS f ON true
       LEFT JOIN LATERAL (
              SELECT left(text, ${MAX_CHARS}) AS text, role, name
                FROM ${schema}.messages
               WHERE session_id = g.id
               ORDER BY seq DESC
               LIMIT 1) AS e ON true
       LEFT JOIN ${schema}.messages h ON h.session_id = g.id AND h.seq = g.found`,
    [sessions.map(({ id }) => id), sessions.map(({ found }) => found)],
  );
  return new Map(rows.map((row) => [row.id, { ...row, people: row.people ?? [] }]));
}

/** Counts the facts that come from conversations, by the texts that facts name them with. */
export async function countFactsOfSources(
  sql: SqlExecutor,
  schema: SchemaName,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql.executeSql<{ name: string; facts: number }>(
    `SELECT coalesce(f.source->>'session', f.source->>'path') AS name, count(*)::int AS facts
       FROM ${schema}.facts f
      WHERE coalesce(f.source->>'session', f.source->>'path') = ANY($1::text[])
        AND f.source->>'kind' = 'message'
        AND f.valid_to IS NULL
      GROUP BY 1`,
    [names],
  );
  return new Map(rows.map(({ name, facts }) => [name, facts]));
}
