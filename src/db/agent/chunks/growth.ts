import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/**
 * Counts of the present files, messages, facts and chunks that were stored on one UTC day; `day` is
 * null for all days before the first requested day.
 */
export interface StoredThatDay {
  day: string | null;
  files: number;
  messages: number;
  facts: number;
  chunks: number;
}

/**
 * Counts the stored content by the day on which it was stored, ascending. A chunk counts on the day
 * of its file, conversation or fact. Sends one statement, which reads files, messages and facts
 * once. For chunks it reads only the indexes on `file_id`, `session_id` and `fact_id`.
 *
 * @param since days before this one are counted together
 */
export async function countByDay(
  sql: SqlExecutor,
  schema: SchemaName,
  { generationId, since }: { generationId: number; since: Date },
): Promise<StoredThatDay[]> {
  const withChunks = (table: string, owner: string) =>
    `${schema}.${table} o
     LEFT JOIN (
       SELECT ${owner} AS id, count(*) AS chunks
         FROM ${schema}.chunks_${generationId}
        WHERE ${owner} IS NOT NULL
        GROUP BY ${owner}) AS cut USING (id)`;
  const { rows } = await sql.executeSql<StoredThatDay>(
    `SELECT day::text, sum(files)::int AS files, sum(messages)::int AS messages,
            sum(facts)::int AS facts, coalesce(sum(chunks), 0)::int AS chunks
       FROM (
         SELECT CASE WHEN at >= $1 THEN (at AT TIME ZONE 'UTC')::date END AS day, files, messages,
                facts, chunks
           FROM (
             SELECT o.created_at, 1, 0, 0, cut.chunks
               FROM ${withChunks("files", "file_id")}
             UNION ALL
             SELECT o.created_at, 0, 0, 1, cut.chunks
               FROM ${withChunks("facts", "fact_id")}
             UNION ALL
             SELECT o.created_at, 0, 0, 0, cut.chunks
               FROM ${withChunks("sessions", "session_id")}
             UNION ALL
             SELECT stored_at, 0, 1, 0, 0
               FROM ${schema}.messages) AS stored (at, files, messages, facts, chunks)) AS dated
      GROUP BY dated.day
      ORDER BY dated.day NULLS FIRST`,
    [since],
  );
  return rows;
}
