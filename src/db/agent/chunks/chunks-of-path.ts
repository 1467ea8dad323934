import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { type Scope, visibleToSql } from "../schema/scope.ts";

export interface ChunkOfPath {
  id: string;
  startLine: number;
  endLine: number;
  source: number;
}

/**
 * The most chunks of one document that are returned. A reader does not go through more of them one
 * by one.
 */
const MAX_CHUNKS = 100;

/**
 * A path, and the session or fact that it may name. `sessionKey` is set if the path is a session's,
 * `factId` if it is a fact's.
 */
export interface OwnerPath {
  path: string;
  sessionKey: string | undefined;
  factId: string | undefined;
  /** The reader; a session or fact that it may not see counts as missing. */
  reader?: Scope | undefined;
}

/**
 * Returns a subquery for the file, session or fact of a path: a table with one row or none. Appends
 * its values to `values`.
 */
function ownerOf(schema: SchemaName, { path, sessionKey, factId, reader }: OwnerPath, values: unknown[]): string {
  const visible = (alias: string) => (reader ? ` AND ${visibleToSql(alias, reader, values)}` : "");
  return `(
      SELECT id AS file_id, NULL::bigint AS session_id, NULL::bigint AS fact_id
        FROM ${schema}.files
       WHERE path = $${values.push(path)}
      UNION ALL
      SELECT NULL, id, NULL
        FROM ${schema}.sessions s
       WHERE key = $${values.push(sessionKey ?? null)}${visible("s")}
      UNION ALL
      SELECT NULL, NULL, id
        FROM ${schema}.facts x
       WHERE id = $${values.push(factId ?? null)}${visible("x")})`;
}

/**
 * Returns the first chunks of the file, session or fact at this path, in order, and whether there
 * is one.
 */
export async function chunksOfPath(
  sql: SqlExecutor,
  { schema, generationId }: { schema: SchemaName; generationId: number },
  of: OwnerPath,
): Promise<{ found: boolean; chunks: ChunkOfPath[] }> {
  const values: unknown[] = [];
  const { rows } = await sql.executeSql<Omit<ChunkOfPath, "id"> & { id: string | null }>(
    `SELECT c.id, c.start_line AS "startLine", c.end_line AS "endLine", c.source
       FROM ${ownerOf(schema, of, values)} AS owner
       LEFT JOIN ${schema}.chunks_${generationId} c
         ON c.file_id = owner.file_id OR c.session_id = owner.session_id
         OR c.fact_id = owner.fact_id
      ORDER BY c.ordinal, c.id
      LIMIT ${MAX_CHUNKS}`,
    values,
  );
  return { found: rows.length > 0, chunks: rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id }])) };
}

/** A chunk's position and heading, without its text. */
export interface BorderedChunk {
  id: string;
  ordinal: number;
  startLine: number;
  endLine: number;
  /** For a session's chunk, the range of its messages. */
  firstMessage: number | null;
  lastMessage: number | null;
  heading: string;
  /** Whether the chunk has an embedding; null in an index without vectors. */
  embedded: boolean | null;
}

/**
 * Returns one page of a document's chunks in order, and whether the document exists.
 *
 * @param after the last chunk of the page before
 */
export async function pageOfChunks(
  sql: SqlExecutor,
  { schema, generationId, dimensions }: { schema: SchemaName; generationId: number; dimensions: number | null },
  of: OwnerPath,
  { after, limit }: { after: { ordinal: number; id: string } | undefined; limit: number },
): Promise<{ found: boolean; chunks: BorderedChunk[] }> {
  const [embedded, vectors] =
    dimensions === null
      ? ["NULL::boolean", ""]
      : ["v.embedding IS NOT NULL", `LEFT JOIN ${schema}.vectors_${generationId} v ON v.chunk_id = c.id`];
  const values: unknown[] = [after?.ordinal ?? -1, after?.id ?? "0", limit];
  const { rows } = await sql.executeSql<Omit<BorderedChunk, "id"> & { id: string | null }>(
    `SELECT c.id, c.ordinal, c.start_line AS "startLine", c.end_line AS "endLine",
            c.first_message AS "firstMessage", c.last_message AS "lastMessage", c.heading,
            ${embedded} AS embedded
       FROM ${ownerOf(schema, of, values)} AS owner
       LEFT JOIN ${schema}.chunks_${generationId} c
         ON (c.file_id = owner.file_id OR c.session_id = owner.session_id
             OR c.fact_id = owner.fact_id) AND (c.ordinal, c.id) > ($1::int, $2::bigint)
       ${vectors}
      ORDER BY c.ordinal, c.id
      LIMIT $3`,
    values,
  );
  return { found: rows.length > 0, chunks: rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id }])) };
}
