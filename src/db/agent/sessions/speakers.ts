import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../space/schema-name.ts";

/** Which of these words are names, or the first words of names, of those who speak in sessions. */
export async function speakersAmong(sql: SqlExecutor, schema: SchemaName, words: readonly string[]): Promise<string[]> {
  if (words.length === 0) return [];
  const { rows } = await sql.executeSql<{ word: string }>(
    `SELECT word FROM unnest($1::text[]) AS w (word)
      WHERE EXISTS (SELECT FROM ${schema}.messages WHERE name IS NOT NULL AND split_part(name, ' ', 1) = word)`,
    [words],
    { prepare: true },
  );
  return rows.map((row) => row.word);
}
