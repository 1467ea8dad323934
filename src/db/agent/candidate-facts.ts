import type { SqlExecutor } from "../database.ts";
import { factPath } from "./facts.ts";
import { vectorType } from "./generation-tables.ts";
import type { SchemaName } from "./schema-name.ts";

/** What ranking has to know of a chunk, without its text. */
export interface CandidateRow {
  id: string;
  path: string;
  startLine: number;
  endLine: number;
  /** Of the text alone: equal texts under different headings are equal. */
  hash: string;
  /** When the file was changed, the last message said, or the fact said again. */
  changedAt: Date;
  /** Of a fact: what it counts for besides its text. */
  standing: { importance: number; decayClass: string } | null;
  /** Cosine; null: not embedded yet, or there was no query vector. */
  similarity: number | null;
}

type Row = Omit<CandidateRow, "path" | "standing"> & {
  path: string | null;
  key: string | null;
  factId: string | null;
  importance: number;
  decayClass: string;
};

/**
 * Facts of the given chunks, with the true cosine of each, which the keyword arm does not know; in no particular order.
 *
 * @param sessionPath the path of a session, by its key
 */
export async function candidateFacts(
  sql: SqlExecutor,
  index: { schema: SchemaName; generationId: number; dimensions: number | null },
  ids: readonly string[],
  { queryVector, sessionPath }: { queryVector: string | undefined; sessionPath: (key: string) => string },
): Promise<CandidateRow[]> {
  if (ids.length === 0) return [];
  const { schema, generationId, dimensions } = index;
  const compares = queryVector !== undefined && dimensions !== null;
  const similarity = compares ? `1 - (v.embedding <=> $2::${vectorType(dimensions)})` : "NULL::float8";
  const vectors = compares ? `LEFT JOIN ${schema}.vectors_${generationId} v ON v.chunk_id = c.id` : "";
  const { rows } = await sql.executeSql<Row>(
    `SELECT c.id, f.path, s.key, c.fact_id AS "factId", x.importance, x.decay_class AS "decayClass", c.start_line AS "startLine", c.end_line AS "endLine", md5(c.text) AS hash,
            coalesce(f.mtime, m.at, s.last_message_at, x.confirmed_at) AS "changedAt", ${similarity} AS similarity
       FROM ${schema}.chunks_${generationId} c
       LEFT JOIN ${schema}.files f ON f.id = c.file_id
       LEFT JOIN ${schema}.sessions s ON s.id = c.session_id
       LEFT JOIN ${schema}.messages m ON m.session_id = c.session_id AND m.seq = c.last_message
       LEFT JOIN ${schema}.facts x ON x.id = c.fact_id
       ${vectors}
      WHERE c.id = ANY($1::bigint[])`,
    compares ? [ids, queryVector] : [ids],
  );
  return rows.map(({ key, path, factId, importance, decayClass, ...row }) =>
    factId === null
      ? { ...row, path: path ?? sessionPath(key ?? ""), standing: null }
      : { ...row, path: factPath(factId), standing: { importance, decayClass } },
  );
}
