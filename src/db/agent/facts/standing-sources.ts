import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/** A message of a conversation; without a number, the whole conversation. */
export interface SourceMessage {
  readonly session: string;
  readonly message?: number | undefined;
}

/**
 * Returns which of these conversations and files still exist, in one statement. Of a conversation
 * whose message is named, the message must exist.
 */
export async function standingSources(
  sql: SqlExecutor,
  schema: SchemaName,
  { messages, paths }: { messages: readonly SourceMessage[]; paths: readonly string[] },
): Promise<{ kind: "session" | "file"; name: string }[]> {
  if (messages.length + paths.length === 0) return [];
  const { rows } = await sql.executeSql<{ kind: "session" | "file"; name: string }>(
    `SELECT DISTINCT 'session' AS kind, s.key AS name
       FROM unnest($1::text[], $2::bigint[]) AS n (session, message)
       JOIN ${schema}.sessions s ON s.key = n.session
      WHERE n.message IS NULL
         OR EXISTS (SELECT FROM ${schema}.messages m WHERE m.session_id = s.id AND m.seq = n.message)
      UNION ALL
     SELECT 'file', path
       FROM ${schema}.files
      WHERE path = ANY($3::text[])
      ORDER BY kind DESC, name`,
    [messages.map(({ session }) => session), messages.map(({ message }) => message ?? null), paths],
  );
  return rows;
}
