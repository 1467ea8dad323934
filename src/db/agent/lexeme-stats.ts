import type { SqlExecutor } from "../database.ts";
import type { SchemaName } from "./schema-name.ts";

/**
 * A count this far off moves a term's weight by at most 0.15 (of 1 to 11). Counting anew comes after growth by a tenth,
 * when nearly every count has changed a little.
 */
const TOLERANCE = 0.15;

/**
 * Counts anew, for every lexeme of a generation, the chunks that have it, and the chunks and their total length: what
 * BM25 weighs terms by. Run it in a transaction. As the agent's own role: ts_stat runs the query it is given with the
 * caller's rights, and the schema in it is quoted.
 *
 * Only rows whose count changed noticeably are written. Measured after growth from 90,000 to 100,000 chunks: 21,000 of
 * 88,864 rows updated, where an exact merge updates 58,000 and replacing all leaves 88,000 dead ones; each takes 2.1 s, of
 * which 1.9 s are ts_stat.
 */
export async function refreshLexemeStats(
  sql: SqlExecutor,
  input: { schema: SchemaName; generationId: number; now: Date },
): Promise<void> {
  const { schema, generationId } = input;
  const chunks = `${schema}.chunks_${generationId}`;
  await sql.executeSql(
    `WITH counted AS MATERIALIZED (
       SELECT word COLLATE "C" AS lexeme, ndoc AS df FROM ts_stat($2)
     ), gone AS (
       DELETE FROM ${schema}.lexemes AS l
        WHERE l.generation_id = $1 AND NOT EXISTS (SELECT FROM counted AS c WHERE c.lexeme = l.lexeme)
     )
     INSERT INTO ${schema}.lexemes AS l (generation_id, lexeme, df)
     SELECT $1, c.lexeme, c.df FROM counted AS c
         ON CONFLICT (generation_id, lexeme) DO UPDATE SET df = excluded.df WHERE abs(l.df - excluded.df) > l.df * ${TOLERANCE}`,
    [generationId, `SELECT keywords FROM ${chunks}`],
  );
  await sql.executeSql(
    `UPDATE ${schema}.generations
        SET stats_chunk_count = c.chunks, stats_total_length = c.length, stats_at = $2, changes = changes + 1
       FROM (SELECT count(*) AS chunks, coalesce(sum(length), 0) AS length FROM ${chunks}) AS c
      WHERE id = $1`,
    [generationId, input.now],
  );
}
