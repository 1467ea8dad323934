import type { SqlExecutor } from "../database.ts";
import type { SchemaName } from "./schema-name.ts";

/** Numbers of the sources in the column `source`. */
export const SOURCE_NUMBER = { memory: 1, sessions: 2 } as const;
export type Source = keyof typeof SOURCE_NUMBER;

export interface StoredChunk {
  id: string;
  fileId: string;
  ordinal: number;
  startLine: number;
  endLine: number;
  hash: string;
}

export interface ChunkWrite {
  fileId: string;
  ordinal: number;
  startLine: number;
  endLine: number;
  heading: string;
  text: string;
  hash: string;
  /** Words for `to_tsvector`, and further lexemes as tsvector text: see search/analyze.ts. */
  words: string;
  terms: string;
}

/** The chunks these files have, in order. */
export async function chunksOfFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  fileIds: readonly string[],
): Promise<StoredChunk[]> {
  const { rows } = await sql.executeSql<StoredChunk>(
    `SELECT id, file_id AS "fileId", ordinal, start_line AS "startLine", end_line AS "endLine", hash
       FROM ${schema}.chunks_${generationId} WHERE file_id = ANY($1::bigint[]) ORDER BY file_id, ordinal`,
    [fileIds],
  );
  return rows;
}

export async function deleteChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql.executeSql(`DELETE FROM ${schema}.chunks_${generationId} WHERE id = ANY($1::bigint[])`, [ids]);
}

/** Gives unchanged chunks their new place; text, keyword vector and embedding stay. */
export async function moveChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  moved: readonly { id: string; ordinal: number; startLine: number; endLine: number }[],
): Promise<void> {
  if (moved.length === 0) return;
  await sql.executeSql(
    `UPDATE ${schema}.chunks_${generationId} c SET ordinal = m.ordinal, start_line = m.start_line, end_line = m.end_line
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) AS m (id, ordinal, start_line, end_line) WHERE c.id = m.id`,
    [moved.map((m) => m.id), moved.map((m) => m.ordinal), moved.map((m) => m.startLine), moved.map((m) => m.endLine)],
  );
}

/**
 * Inserts chunks with their keyword vector and returns id and hash of each. `length` is the number of positions in the
 * vector: BM25's document length.
 */
export async function insertChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: { id: number; language: string },
  chunks: readonly ChunkWrite[],
): Promise<{ id: string; hash: string }[]> {
  if (chunks.length === 0) return [];
  const { rows } = await sql.executeSql<{ id: string; hash: string }>(
    `INSERT INTO ${schema}.chunks_${generation.id} (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
     SELECT n.file_id, ${SOURCE_NUMBER.memory}, n.ordinal, n.start_line, n.end_line, n.heading, n.text, n.hash,
            (SELECT coalesce(sum(cardinality(l.positions)), 0) FROM unnest(k.keywords) AS l), k.keywords
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
         AS n (file_id, ordinal, start_line, end_line, heading, text, hash, words, terms),
       LATERAL (SELECT to_tsvector($10::regconfig, n.words) || n.terms::tsvector AS keywords OFFSET 0) AS k
     RETURNING id, hash`,
    [
      chunks.map((chunk) => chunk.fileId),
      chunks.map((chunk) => chunk.ordinal),
      chunks.map((chunk) => chunk.startLine),
      chunks.map((chunk) => chunk.endLine),
      chunks.map((chunk) => chunk.heading),
      chunks.map((chunk) => chunk.text),
      chunks.map((chunk) => chunk.hash),
      chunks.map((chunk) => chunk.words),
      chunks.map((chunk) => chunk.terms),
      generation.language,
    ],
  );
  return rows;
}

export interface ChunkHit {
  id: string;
  path: string;
  startLine: number;
  endLine: number;
  heading: string;
  text: string;
  source: number;
}

/** The chunks with these ids, with the path of their file, in no particular order. */
export async function readChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  ids: readonly string[],
): Promise<ChunkHit[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql.executeSql<ChunkHit>(
    `SELECT c.id, f.path, c.start_line AS "startLine", c.end_line AS "endLine", c.heading, c.text, c.source
       FROM ${schema}.chunks_${generationId} c JOIN ${schema}.files f ON f.id = c.file_id WHERE c.id = ANY($1::bigint[])`,
    [ids],
  );
  return rows;
}

/** The first chunk of each file, for an exact path or file-name hit. */
export async function firstChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  fileIds: readonly string[],
): Promise<{ id: string; fileId: string }[]> {
  if (fileIds.length === 0) return [];
  const { rows } = await sql.executeSql<{ id: string; fileId: string }>(
    `SELECT id, file_id AS "fileId" FROM ${schema}.chunks_${generationId} WHERE file_id = ANY($1::bigint[]) AND ordinal = 0`,
    [fileIds],
  );
  return rows;
}

/** How many files and chunks there are, and how many chunks wait for their embedding. For status only: it counts rows. */
export async function countMemory(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: { id: number; dimensions: number | null },
) {
  const unembedded = (what: string) =>
    generation.dimensions === null
      ? "0"
      : `(SELECT count(*)::int FROM ${schema}.vectors_${generation.id} WHERE embedding IS NULL AND rejected IS ${what})`;
  const { rows } = await sql.executeSql<{
    files: number;
    chunks: number;
    pendingEmbeddings: number;
    rejectedChunks: number;
    lastChangeAt: Date | null;
  }>(
    `SELECT (SELECT count(*)::int FROM ${schema}.files) AS files,
            (SELECT max(updated_at) FROM ${schema}.files) AS "lastChangeAt",
            (SELECT count(*)::int FROM ${schema}.chunks_${generation.id}) AS chunks,
            ${unembedded("NULL")} AS "pendingEmbeddings", ${unembedded("NOT NULL")} AS "rejectedChunks"`,
    [],
  );
  return rows[0] ?? { files: 0, chunks: 0, pendingEmbeddings: 0, rejectedChunks: 0, lastChangeAt: null };
}

/** The hashes of all chunks, each once. */
export async function hashesOfChunks(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<string[]> {
  const { rows } = await sql.executeSql<{ hash: string }>(`SELECT DISTINCT hash FROM ${schema}.chunks_${generationId}`);
  return rows.map((row) => row.hash);
}
