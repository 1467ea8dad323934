import type { SqlExecutor } from "../../database.ts";
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
  const said = `FROM ${schema}.messages m
     WHERE m.name IS NOT NULL
       AND split_part(m.name, ' ', 1) = w.word`;
  const speaks =
    reader === undefined
      ? `SELECT ${said}`
      : `WITH RECURSIVE spoken AS (
          (SELECT m.session_id ${said} ORDER BY m.session_id LIMIT 1)
          UNION ALL
          SELECT (
                   SELECT m.session_id ${said} AND m.session_id > p.session_id
                    ORDER BY m.session_id
                    LIMIT 1)
            FROM spoken p
           WHERE p.session_id IS NOT NULL
        )
        SELECT
          FROM spoken p
          JOIN ${schema}.sessions s ON s.id = p.session_id AND ${visibleToSql("s", reader, values)}`;
  const { rows } = await sql.executeSql<{ word: string }>(
    `SELECT word FROM unnest($1::text[]) AS w (word) WHERE EXISTS (${speaks})`,
    values,
    { prepare: true },
  );
  return rows.map((row) => row.word);
}
