import type { SqlExecutor } from "../../database.ts";
import { type VectorTable, vectorParameter } from "../space/generation-tables.ts";
import { statedLimit } from "./vector-search.ts";

/**
 * How many candidates a scan may keep (`hnsw.ef_search`), of which the first suffices that finds enough. Twice as many take nearly
 * twice the time, so they are half as much again or a third apart.
 */
const WIDTHS = [100, 150, 200, 300, 400, 600, 800] as const;
/** Of an index that nobody has measured. */
const UNMEASURED = 200;
/**
 * Questions whose nearest are looked for, and how many each. Where vectors lie in groups a scan finds nearly all that is near a question,
 * or ends in another group and finds nothing, so a few questions say little: by 30 a million were scanned a quarter as wide as they needed.
 */
const COMPARED = 100;
const NEAREST = 11;
const ENOUGH = 0.98;

/**
 * How a transaction scans an HNSW index: a filtered scan goes on until it has enough rows, in exact order of distance. Without
 * an index it has no effect.
 *
 * @param width by `measureVectorScan`; null: not measured
 * @param limit how many rows are asked for: with a smaller width the scan would begin again for them
 */
export function vectorScan(width: number | null, limit = 0): string[] {
  const candidates = Math.max(width ?? UNMEASURED, statedLimit(limit));
  return [`SET LOCAL hnsw.ef_search = ${candidates}`, "SET LOCAL hnsw.iterative_scan = strict_order"];
}

type Read = <T>(fn: (sql: SqlExecutor) => Promise<T>, setup: readonly string[]) => Promise<T>;

/**
 * The least width with which scans of an index find what reading all of its vectors finds, or the greatest there is. It depends on
 * how many vectors there are, how they lie, and how the index was built (docs/BENCHMARKS.md, "What an HNSW scan finds").
 *
 * @param read runs a transaction that reads, with settings: each is short, as reading a million vectors of 384 dimensions takes
 *   half a second
 */
export async function measureVectorScan(read: Read, table: VectorTable): Promise<number> {
  const vectors = `${table.schema}.vectors_${table.generationId}`;
  const questions = await makeQuestions(read, table);
  const distances = (vector: string, setup: readonly string[]) =>
    read(async (sql) => {
      const asked = vectorParameter(1, table);
      const { rows } = await sql.executeSql<{ distance: number }>(
        `SELECT embedding <=> ${asked} AS distance FROM ${vectors} WHERE embedding IS NOT NULL
          ORDER BY embedding <=> ${asked} LIMIT ${NEAREST}`,
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
      // By distance: of equal texts, of which there may be hundreds, any will do.
      const last = nearest.at(-1) ?? 0;
      found += (await distances(vector, vectorScan(width))).filter((distance) => distance <= last).length;
    }
    if (found >= ENOUGH * wanted) return width;
  }
  return WIDTHS[WIDTHS.length - 1] ?? UNMEASURED;
}

/** Of so many neighbours a question is made; see there for the weights. */
const NEIGHBOURS = 36;

/**
 * Vectors that are not in the index and lie as those do that are: the mean of k neighbours, and as far from it as they are, in a direction
 * at random: (A + B) / k + (A − B) / √k, where A and B are the sums of each second of them; with k = 36, all times 36, 7 A − 5 B. A vector
 * of the index itself is found too easily, as the graph leads from it to those that were nearest when it was built, and so is what lies
 * between two or three (docs/BENCHMARKS.md, "What an HNSW scan finds").
 */
async function makeQuestions(read: Read, table: VectorTable): Promise<string[]> {
  const vectors = `${table.schema}.vectors_${table.generationId}`;
  const { rows: drawn } = await read(
    (sql) =>
      sql.executeSql<{ vector: string }>(
        `SELECT embedding::text AS vector FROM ${vectors} WHERE chunk_id IN (
           SELECT chunk_id FROM ${vectors} WHERE embedding IS NOT NULL ORDER BY hashint8(chunk_id), chunk_id LIMIT ${COMPARED})`,
      ),
    [],
  );
  const asked = vectorParameter(1, table);
  return read(async (sql) => {
    const questions: string[] = [];
    for (const { vector } of drawn) {
      const { rows } = await sql.executeSql<{ question: string | null }>(
        `SELECT (a+a+a+a+a+a+a - b-b-b-b-b)::text AS question FROM (
           SELECT sum(embedding::vector) FILTER (WHERE place % 2 = 1) AS a, sum(embedding::vector) FILTER (WHERE place % 2 = 0) AS b FROM (
             SELECT embedding, row_number() OVER (ORDER BY distance) AS place FROM (
               SELECT embedding, embedding <=> ${asked} AS distance FROM ${vectors} WHERE embedding IS NOT NULL
                ORDER BY embedding <=> ${asked} LIMIT ${NEIGHBOURS}) AS nearest) AS placed) AS sums`,
        [vector],
      );
      questions.push(rows[0]?.question ?? vector);
    }
    return questions;
  }, vectorScan(null));
}

/** Notes how wide scans of a generation's HNSW index are to be. What searches remember was found with the width before. */
export async function noteVectorScan(
  sql: SqlExecutor,
  { schema, generationId }: Pick<VectorTable, "schema" | "generationId">,
  { width, count }: { width: number; count: number },
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.generations
        SET vector_scan = $2, vector_scan_count = $3, changes = changes + (vector_scan IS DISTINCT FROM $2)::int WHERE id = $1`,
    [generationId, width, count],
  );
}
