import type { SqlExecutor } from "../../database.ts";
import { mayFoldSql } from "../schema/may-fold.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { type Scope, visibleToSql } from "../schema/scope.ts";

/**
 * Returns the words that are names of speakers in sessions, or the first words of such names.
 *
 * @param reader only sessions that this reader may see; undefined: all sessions. The statement
 * visits each session of a name once and skips the rest of the session's messages.
 */
export async function speakersAmong(
  sql: SqlExecutor,
  schema: SchemaName,
  words: readonly string[],
  reader: Scope | undefined,
): Promise<string[]> {
  if (words.length === 0) return [];
  const values: unknown[] = [words];
  const speaks =
    reader === undefined
      ? `SELECT ${saidSql(schema)}`
      : `SELECT
          FROM (${sessionsOfWordSql(schema)}) AS p
          JOIN ${schema}.sessions s ON s.id = p.session_id AND ${visibleToSql("s", reader, values)}`;
  const { rows } = await sql.executeSql<{ word: string }>(
    `SELECT word FROM unnest($1::text[]) AS w (word) WHERE EXISTS (${speaks})`,
    values,
    { prepare: true },
  );
  return rows.map((row) => row.word);
}

/** Returns the SQL of the messages whose speaker has the first word `w.word`. */
function saidSql(schema: SchemaName): string {
  return `FROM ${schema}.messages m
     WHERE m.name IS NOT NULL
       AND split_part(m.name, ' ', 1) = w.word`;
}

/** Returns the SQL of the ids of their sessions. It visits each session once. */
function sessionsOfWordSql(schema: SchemaName): string {
  const said = saidSql(schema);
  return `WITH RECURSIVE spoken AS (
            (SELECT m.session_id ${said} ORDER BY m.session_id LIMIT 1)
            UNION ALL
            SELECT (
                     SELECT m.session_id ${said} AND m.session_id > p.session_id
                      ORDER BY m.session_id
                      LIMIT 1)
              FROM spoken p
             WHERE p.session_id IS NOT NULL
          )
          SELECT session_id FROM spoken`;
}

/** A folded name, and the function that folds the names that are compared with it. */
export interface Named {
  name: string;
  fold: (name: string) => string | null;
}

/** A conversation in which somebody speaks, and the user of its scope; empty: it has none. */
export interface SpokenIn {
  key: string;
  scopeUser: string;
}

/**
 * Returns conversations in which a person speaks by the names of messages, other than the
 * conversations of some users.
 *
 * @param limits.except the users
 * @param limits.most the number of conversations that are looked into
 * @returns the conversations, and whether all were looked into
 */
export async function spokenInBy(
  sql: SqlExecutor,
  schema: SchemaName,
  { name: person, fold }: Named,
  { except, most }: { except: readonly string[]; most: number },
): Promise<{ sessions: SpokenIn[]; complete: boolean }> {
  const words = await firstWordsOf(sql, schema, { name: person, fold });
  if (words.length === 0) return { sessions: [], complete: true };
  const { rows } = await sql.executeSql<SpokenIn & { names: string[] }>(
    `SELECT f.key, f.scope_user AS "scopeUser", n.names
       FROM (SELECT s.id, s.key, s.scope_user, w.word
               FROM unnest($1::text[]) AS w (word)
              CROSS JOIN LATERAL (${sessionsOfWordSql(schema)}) AS p
               JOIN ${schema}.sessions s ON s.id = p.session_id AND NOT s.scope_user = ANY($2::text[])
              LIMIT $3) AS f
      CROSS JOIN LATERAL (
             SELECT array_agg(DISTINCT m.name) AS names
               FROM ${schema}.messages m
              WHERE m.name IS NOT NULL
                AND split_part(m.name, ' ', 1) = f.word
                AND m.session_id = f.id) AS n`,
    [words, except, most + 1],
  );
  const spoken = rows.slice(0, most).filter(({ names }) => names.some((name) => fold(name) === person));
  const sessions = new Map(spoken.map(({ key, scopeUser }) => [key, { key, scopeUser }]));
  const sorted = [...sessions.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { sessions: sorted, complete: rows.length <= most };
}

/** Returns the first words, as the index of speakers has them, with which a person's name may begin. */
async function firstWordsOf(sql: SqlExecutor, schema: SchemaName, { name: person, fold }: Named): Promise<string[]> {
  const [first = ""] = person.split(" ");
  const word = "split_part(m.name, ' ', 1)";
  const { rows } = await sql.executeSql<{ word: string }>(
    `WITH RECURSIVE seen AS (
       (SELECT ${word} AS word FROM ${schema}.messages m WHERE m.name IS NOT NULL ORDER BY ${word} LIMIT 1)
       UNION ALL
       SELECT (
                SELECT ${word}
                  FROM ${schema}.messages m
                 WHERE m.name IS NOT NULL
                   AND ${word} > s.word
                 ORDER BY ${word}
                 LIMIT 1)
         FROM seen s
        WHERE s.word IS NOT NULL
     )
     SELECT s.word FROM seen s WHERE s.word = '' OR ${mayFoldSql("s.word", "$1")}`,
    [first],
  );
  // A name may begin with a blank, and a word may have blanks that are no spaces.
  return rows.map((row) => row.word).filter((given) => `${person} `.startsWith(`${fold(given) ?? first} `));
}
