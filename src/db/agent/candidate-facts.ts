import { randomBytes } from "node:crypto";
import type { SqlExecutor } from "../database.ts";
import { SOURCE_NUMBER } from "./chunks.ts";
import { factPath } from "./facts.ts";
import { vectorParameter } from "./generation-tables.ts";
import type { SchemaName } from "./schema-name.ts";

/** What ranking has to know of a chunk, without its text. */
export interface CandidateRow {
  id: string;
  path: string;
  startLine: number;
  endLine: number;
  /** Of the text alone: equal texts under different headings are equal. This process's own. */
  hash: string;
  /** When the file was changed, the last message said, or the fact said again. */
  changedAt: Date;
  /** Of a fact: what it counts for besides its text. */
  standing: { importance: number; decayClass: string } | null;
  /** Cosine; null: not embedded yet, or there was no query vector. */
  similarity: number | null;
}

/**
 * What texts are hashed with: this hash takes half the time of md5, a tenth of the statement, but with a seed that is known a text
 * could be written to have another's.
 */
const SEED = randomBytes(8).readBigInt64BE().toString();

/** Columns of sources that were not asked for are missing. */
type Row = Omit<CandidateRow, "path" | "standing"> & {
  path?: string | null;
  key?: string | null;
  factId?: string | null;
  importance: number;
  decayClass: string;
};

/**
 * Facts of the given chunks, with the true cosine of each, which the keyword arm does not know; in no particular order.
 *
 * @param of `sources` of the chunks: planning joins that find nothing took longer than the statement; `sessionPath`, the path
 *   of a session by its key
 */
export async function candidateFacts(
  sql: SqlExecutor,
  index: { schema: SchemaName; generationId: number; dimensions: number | null },
  ids: readonly string[],
  of: { queryVector: Uint8Array | undefined; sources: readonly number[]; sessionPath: (key: string) => string },
): Promise<CandidateRow[]> {
  if (ids.length === 0) return [];
  const { schema, generationId, dimensions } = index;
  const { queryVector, sources, sessionPath } = of;
  const compares = queryVector !== undefined && dimensions !== null;
  const similarity = compares ? `1 - (v.embedding <=> ${vectorParameter(3, dimensions)})` : "NULL::float8";
  const vectors = compares ? `LEFT JOIN ${schema}.vectors_${generationId} v ON v.chunk_id = c.id` : "";
  const owners = ownersOf(schema, sources);
  const { rows } = await sql.executeSql<Row>(
    `SELECT c.id, ${owners.map(({ columns }) => columns).join(", ")}, c.start_line AS "startLine", c.end_line AS "endLine",
            hashtextextended(c.text, $2) AS hash, coalesce(${owners.flatMap(({ dates }) => dates).join(", ")}) AS "changedAt", ${similarity} AS similarity
       FROM ${schema}.chunks_${generationId} c ${owners.map(({ join }) => join).join(" ")} ${vectors}
      WHERE c.id = ANY($1::bigint[])`,
    compares ? [ids, SEED, queryVector] : [ids, SEED],
    { prepare: true },
  );
  return rows.map(({ key, path, factId, importance, decayClass, ...row }) =>
    factId
      ? { ...row, path: factPath(factId), standing: { importance, decayClass } }
      : { ...row, path: path ?? sessionPath(key ?? ""), standing: null },
  );
}

/** What a chunk belongs to, of each source: columns, dates by which it was changed, and the join. */
function ownersOf(schema: SchemaName, sources: readonly number[]) {
  const all = [
    {
      source: SOURCE_NUMBER.memory,
      ...{ columns: "f.path", dates: ["f.mtime"] },
      join: `LEFT JOIN ${schema}.files f ON f.id = c.file_id`,
    },
    {
      source: SOURCE_NUMBER.sessions,
      ...{ columns: "s.key", dates: ["m.at", "s.last_message_at"] },
      join: `LEFT JOIN ${schema}.sessions s ON s.id = c.session_id
             LEFT JOIN ${schema}.messages m ON m.session_id = c.session_id AND m.seq = c.last_message`,
    },
    {
      source: SOURCE_NUMBER.facts,
      columns: `c.fact_id AS "factId", x.importance, x.decay_class AS "decayClass"`,
      dates: ["x.confirmed_at"],
      join: `LEFT JOIN ${schema}.facts x ON x.id = c.fact_id`,
    },
  ];
  return all.filter(({ source }) => sources.includes(source));
}
