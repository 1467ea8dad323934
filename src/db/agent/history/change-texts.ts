import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/** The most characters of a file's text that are read, and the most bytes of a file that is read at all. */
const MAX_CHARS = 8000;
const MAX_BYTES = 200_000;
/** The most characters of a fact or of a message that are read. */
const MAX_FACT_CHARS = 2000;

/** The present state of a fact that has changed. */
export interface FactOfChange {
  id: string;
  text: string;
  subject: string | null;
  key: string | null;
  user: string;
  /** The text of the fact that replaced it; null: none has. */
  next: string | null;
  /** The text of the latest fact that it replaced; null: it replaced none. */
  previous: string | null;
}

/** Returns the facts with these ids, without the facts that are no longer stored. */
export async function factsOfChanges(
  sql: SqlExecutor,
  schema: SchemaName,
  ids: readonly string[],
): Promise<Map<string, FactOfChange>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql.executeSql<FactOfChange>(
    `SELECT f.id::text AS id, left(f.text, ${MAX_FACT_CHARS}) AS text, f.subject, f.key, f.scope_user AS "user",
            (SELECT left(n.text, ${MAX_FACT_CHARS}) FROM ${schema}.facts n WHERE n.id = f.superseded_by) AS next,
            (SELECT left(p.text, ${MAX_FACT_CHARS})
               FROM ${schema}.facts p
              WHERE p.superseded_by = f.id
              ORDER BY p.valid_from DESC, p.id DESC
              LIMIT 1) AS previous
       FROM ${schema}.facts f
      WHERE f.id = ANY($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Returns the beginnings of files' texts: of versions by their numbers, and of present files by
 * their paths. Long files are left out, because Postgres unpacks the whole text of each.
 */
export async function fileBeginnings(
  sql: SqlExecutor,
  schema: SchemaName,
  { versions, paths }: { versions: readonly string[]; paths: readonly string[] },
): Promise<{ versions: Map<string, string>; paths: Map<string, string> }> {
  const { rows } = await sql.executeSql<{ version: string | null; path: string; text: string }>(
    // PGlite drops a byte order mark at the beginning of a value it returns.
    `SELECT until_seq::text AS version, path, '=' || left(content, ${MAX_CHARS}) AS text
       FROM ${schema}.file_versions
      WHERE until_seq = ANY($1::bigint[])
        AND size_bytes <= ${MAX_BYTES}
     UNION ALL
     SELECT NULL, path, '=' || left(content, ${MAX_CHARS})
       FROM ${schema}.files
      WHERE path = ANY($2::text[])
        AND size_bytes <= ${MAX_BYTES}`,
    [versions, paths],
  );
  const texts = { versions: new Map<string, string>(), paths: new Map<string, string>() };
  for (const { version, path, text } of rows)
    if (version === null) texts.paths.set(path, text.slice(1));
    else texts.versions.set(version, text.slice(1));
  return texts;
}

/** Returns the text of the first message of conversations, by their keys. */
export async function firstWords(
  sql: SqlExecutor,
  schema: SchemaName,
  keys: readonly string[],
): Promise<Map<string, { text: string; user: string }>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql.executeSql<{ key: string; text: string | null; user: string }>(
    `SELECT s.key, s.scope_user AS "user",
            (SELECT left(m.text, ${MAX_FACT_CHARS})
               FROM ${schema}.messages m
              WHERE m.session_id = s.id
              ORDER BY m.seq
              LIMIT 1) AS text
       FROM ${schema}.sessions s
      WHERE s.key = ANY($1::text[])`,
    [keys],
  );
  return new Map(rows.map(({ key, text, user }) => [key, { text: text ?? "", user }]));
}
