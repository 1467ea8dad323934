import type { SqlExecutor } from "../../database.ts";
import { type VectorTable, vectorParameter } from "../space/generation-tables.ts";

/**
 * How many candidates a scan may keep (`hnsw.ef_search`), of which the first suffices that finds enough. Twice as many take nearly
 * twice the time.
 */
const WIDTHS = [100, 200, 400, 800] as const;
/** Of an index that nobody has measured. */
const UNMEASURED = 200;
/** Vectors whose nearest are looked for, and how many each. */
const COMPARED = 30;
const NEAREST = 10;
/** A question is not as near to its texts as these are to each other, and misses more: about twice as many. */
const ENOUGH = 0.99;

/**
 * How a transaction scans an HNSW index: a filtered scan goes on until it has enough rows, in exact order of distance. Without
 * an index it has no effect.
 *
 * @param width by `measureVectorScan`; null: not measured
 * @param limit how many rows are asked for: with a smaller width the scan would begin again for them
 */
export function vectorScan(width: number | null, limit = 0): string[] {
  const candidates = Math.max(width ?? UNMEASURED, limit);
  return [`SET LOCAL hnsw.ef_search = ${candidates}`, "SET LOCAL hnsw.iterative_scan = strict_order"];
}

/**
 * The least width with which scans of an index find what reading all of its vectors finds. It depends on how many vectors there are,
 * how they lie, and how the index was built: with one for all, an index of a million found 0.91 of the ten nearest, one of 25,000
 * texts 0.99, and another of these half as wide as much (docs/BENCHMARKS.md, "What an HNSW scan finds").
 *
 * @param read runs a transaction that reads; each is short, as reading all of a million vectors takes half a second
 */
export async function measureVectorScan(
  read: <T>(fn: (sql: SqlExecutor) => Promise<T>) => Promise<T>,
  table: VectorTable,
): Promise<number> {
  const vectors = `${table.schema}.vectors_${table.generationId}`;
  const nearest = (vector: string, setup: readonly string[]) =>
    read(async (sql) => {
      await sql.executeSql(setup.join("; "));
      // The first is the vector itself.
      const { rows } = await sql.executeSql<{ id: string }>(
        `SELECT chunk_id::text AS id FROM ${vectors} WHERE embedding IS NOT NULL
          ORDER BY embedding <=> ${vectorParameter(1, table.dimensions)} LIMIT ${NEAREST + 1}`,
        [vector],
      );
      return rows.slice(1).map(({ id }) => id);
    });
  const { rows: drawn } = await read((sql) =>
    sql.executeSql<{ vector: string }>(
      `SELECT embedding::text AS vector FROM ${vectors} WHERE embedding IS NOT NULL ORDER BY hashint8(chunk_id), chunk_id LIMIT ${COMPARED}`,
    ),
  );
  const compared: { vector: string; wanted: Set<string> }[] = [];
  for (const { vector } of drawn)
    compared.push({ vector, wanted: new Set(await nearest(vector, ["SET LOCAL enable_indexscan = off"])) });
  const wanted = compared.reduce((sum, one) => sum + one.wanted.size, 0);
  for (const width of WIDTHS) {
    let found = 0;
    for (const one of compared)
      found += (await nearest(one.vector, vectorScan(width))).filter((id) => one.wanted.has(id)).length;
    if (found >= ENOUGH * wanted) return width;
  }
  return WIDTHS[WIDTHS.length - 1] ?? UNMEASURED;
}
