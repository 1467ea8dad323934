import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../space/schema-name.ts";

export interface ChunkOfPath {
  id: string;
  startLine: number;
  endLine: number;
  source: number;
}

/** More of one document nobody reads one by one. */
const MAX_CHUNKS = 100;

/** The first chunks of the file, session or fact with this path, in order, and whether there is such a one at all. */
export async function chunksOfPath(
  sql: SqlExecutor,
  { schema, generationId }: { schema: SchemaName; generationId: number },
  { path, sessionKey, factId }: { path: string; sessionKey: string | undefined; factId: string | undefined },
): Promise<{ found: boolean; chunks: ChunkOfPath[] }> {
  const { rows } = await sql.executeSql<Omit<ChunkOfPath, "id"> & { id: string | null }>(
    `SELECT c.id, c.start_line AS "startLine", c.end_line AS "endLine", c.source
       FROM (SELECT id AS file_id, NULL::bigint AS session_id, NULL::bigint AS fact_id FROM ${schema}.files WHERE path = $1
             UNION ALL SELECT NULL, id, NULL FROM ${schema}.sessions WHERE key = $2
             UNION ALL SELECT NULL, NULL, id FROM ${schema}.facts WHERE id = $3) AS owner
       LEFT JOIN ${schema}.chunks_${generationId} c
         ON c.file_id = owner.file_id OR c.session_id = owner.session_id OR c.fact_id = owner.fact_id
      ORDER BY c.ordinal, c.id LIMIT ${MAX_CHUNKS}`,
    [path, sessionKey ?? null, factId ?? null],
  );
  return { found: rows.length > 0, chunks: rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id }])) };
}
