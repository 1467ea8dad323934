import type { SqlExecutor } from "../../database.ts";
import { type VectorTable, vectorParameter } from "../schema/generation-tables.ts";
import { statedLimit } from "./vector-search.ts";

/**
 * The numbers of candidates that a scan may keep (`hnsw.ef_search`); the first number that finds
 * enough is used. Twice as many candidates take nearly twice the time, so the steps are a half or a
 * third.
 */
const WIDTHS = [100, 150, 200, 300, 400, 600, 800] as const;
/** The number of candidates for an index that has not been measured. */
const UNMEASURED = 200;
/**
 * How many questions are measured, and how many nearest vectors each looks for. If vectors lie in
 * groups, a scan finds nearly all vectors near a question, or it ends in another group and finds
 * none, so a few questions say little: measured with 30 questions, a million vectors were scanned
 * with a quarter of the candidates they needed.
 */
const COMPARED = 100;
const NEAREST = 11;
const ENOUGH = 0.98;

/**
 * Returns the settings of a transaction that scans an HNSW index. A filtered scan goes on until it
 * has enough rows, in exact order of distance. Without an index the settings have no effect.
 *
 * @param width from `measureVectorScan`; null when it was not measured
 * @param limit how many rows are asked for; with a smaller width the scan would have to start again
 */
export function vectorScan(width: number | null, limit = 0): string[] {
  const candidates = Math.max(width ?? UNMEASURED, statedLimit(limit));
  return [`SET LOCAL hnsw.ef_search = ${candidates}`, "SET LOCAL hnsw.iterative_scan = strict_order"];
}

type Read = <T>(fn: (sql: SqlExecutor) => Promise<T>, setup: readonly string[]) => Promise<T>;

/**
 * Returns the smallest width with which index scans find what reading all vectors finds, or else
 * the greatest width. The width depends on the number of vectors, their distribution, and how the
 * index was built (bench/notes/vectors.md, "What an HNSW scan finds").
 *
 * @param read runs a read-only transaction with settings; each transaction is short, because
 *   reading a million vectors of 384 dimensions takes half a second
 */
export async function measureVectorScan(read: Read, table: VectorTable): Promise<number> {
  const vectors = `${table.schema}.vectors_${table.generationId}`;
  const questions = await makeQuestions(read, table);
  const distances = (vector: string, setup: readonly string[]) =>
    read(async (sql) => {
      const asked = vectorParameter(1, table);
      const { rows } = await sql.executeSql<{ distance: number }>(
        `SELECT embedding <=> ${asked} AS distance
           FROM ${vectors}
          WHERE embedding IS NOT NULL
          ORDER BY embedding <=> ${asked}
          LIMIT ${NEAREST}`,
        [vector],
      );
      return rows.map((row) => row.distance);
    }, setup);
  const compared: { vector: string; nearest: number[] }[] = [];
  for (const vector of questions)
    compared.push({ vector, nearest: await distances(vector, ["SET LOCAL enable_indexscan = off"]) });
  const wanted = compared.reduce((sum, { nearest }) => sum + nearest.length, 0);
  for (const width of WIDTHS) {
    let found = 0;
    for (const { vector, nearest } of compared) {
      // Compared by distance, so that any of several equal texts will do; there may be hundreds of
      // them.
      const last = nearest.at(-1) ?? 0;
      found += (await distances(vector, vectorScan(width))).filter((distance) => distance <= last).length;
    }
    if (found >= ENOUGH * wanted) return width;
  }
  return WIDTHS[WIDTHS.length - 1] ?? UNMEASURED;
}

/** The number of neighbours that a question is made from; `makeQuestions` explains the weights. */
const NEIGHBOURS = 36;

/**
 * Returns vectors that are not in the index but lie as the indexed ones do. Each is the mean of k
 * neighbours, moved in a random direction by the distance that the neighbours have from it: (A + B)
 * / k + (A − B) / √k, where A and B are the sums of every second neighbour. With k = 36, all times
 * 36, this is 7 A − 5 B. A vector of the index itself is found too easily, because the graph leads
 * from it to the vectors that were nearest when it was built. A point between two or three indexed
 * vectors is found too easily as well (bench/notes/vectors.md, "What an HNSW scan finds").
 */
async function makeQuestions(read: Read, table: VectorTable): Promise<string[]> {
  const vectors = `${table.schema}.vectors_${table.generationId}`;
  const { rows: drawn } = await read(
    (sql) =>
      sql.executeSql<{ vector: string }>(
        `SELECT embedding::text AS vector
           FROM ${vectors}
          WHERE chunk_id IN (
            SELECT chunk_id
              FROM ${vectors}
             WHERE embedding IS NOT NULL
             ORDER BY hashint8(chunk_id), chunk_id
             LIMIT ${COMPARED})`,
      ),
    [],
  );
  const asked = vectorParameter(1, table);
  return read(async (sql) => {
    const questions: string[] = [];
    for (const { vector } of drawn) {
      const { rows } = await sql.executeSql<{ question: string | null }>(
        `SELECT (a+a+a+a+a+a+a - b-b-b-b-b)::text AS question
           FROM (
             SELECT sum(embedding::vector) FILTER (WHERE place % 2 = 1) AS a,
                    sum(embedding::vector) FILTER (WHERE place % 2 = 0) AS b
               FROM (
                 SELECT embedding, row_number() OVER (ORDER BY distance) AS place
                   FROM (
                     SELECT embedding, embedding <=> ${asked} AS distance
                       FROM ${vectors}
                      WHERE embedding IS NOT NULL
                      ORDER BY embedding <=> ${asked}
                      LIMIT ${NEIGHBOURS}) AS nearest) AS placed) AS sums`,
        [vector],
      );
      questions.push(rows[0]?.question ?? vector);
    }
    return questions;
  }, vectorScan(null));
}

/**
 * Stores the width for scans of a generation's HNSW index. If it has changed, invalidates cached
 * answers, which were found with the former width.
 */
export async function noteVectorScan(
  sql: SqlExecutor,
  { schema, generationId }: Pick<VectorTable, "schema" | "generationId">,
  { width, count }: { width: number; count: number },
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.generations
        SET vector_scan = $2, vector_scan_count = $3,
            changes = changes + (vector_scan IS DISTINCT FROM $2)::int
      WHERE id = $1`,
    [generationId, width, count],
  );
}
