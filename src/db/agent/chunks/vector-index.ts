import type { Database } from "../../database.ts";
import { BUILD_MS } from "../../pg-limits.ts";
import { type VectorTable, vectorType } from "../space/generation-tables.ts";

/**
 * Among so many candidates a vector's neighbours in the graph are looked for. With pgvector's 64 a scan of the index misses what
 * the same scan finds with 128, for up to twice the time to build it (docs/BENCHMARKS.md, "What an HNSW scan finds").
 */
const EF_CONSTRUCTION = 128;
/** In an index of so many a scan that finds as much keeps half as many candidates if it was built so; in a smaller one it keeps the fewest either way. */
const LARGE = 250_000;
const EF_CONSTRUCTION_OF_LARGE = 256;

/**
 * Builds the HNSW index of a generation beside running writes, with the service's own role; idempotent. An index that an
 * earlier try left invalid is dropped first. PGlite has one session, so there is nothing to run beside.
 *
 * @param count about how many vectors there are
 */
export async function buildVectorIndex(db: Database, table: VectorTable, count: number): Promise<void> {
  const index = `vectors_${table.generationId}_hnsw`;
  const vectors = `${table.schema}.vectors_${table.generationId}`;
  const { rows } = await db.executeSql<{ valid: boolean }>(
    `SELECT i.indisvalid AS valid FROM pg_index i WHERE i.indexrelid = to_regclass($1)`,
    [`${table.schema}.${index}`],
  );
  if (rows[0]?.valid) return;
  const concurrently = db.kind === "postgres" ? "CONCURRENTLY" : "";
  if (rows[0])
    await db.executeSql(`DROP INDEX ${concurrently} IF EXISTS ${table.schema}.${index}`, [], { isAlone: true });
  const construction = count < LARGE ? EF_CONSTRUCTION : EF_CONSTRUCTION_OF_LARGE;
  const settings = db.kind === "postgres" ? [await memoryFor(db, vectors, count)] : [];
  await db.executeSql(
    `CREATE INDEX ${concurrently} ${index} ON ${vectors} USING hnsw (embedding ${vectorType(table)}_cosine_ops) WITH (ef_construction = ${construction})`,
    [],
    { settings, limitMs: BUILD_MS, isAlone: true },
  );
}

/** What the graph takes for a vector besides its numbers while it is built. */
const GRAPH_BYTES = 1000;

/**
 * Memory for the build: for the vectors and the graph, but no more than `shared_buffers`, which is what the operator gives Postgres of
 * the machine. With less than the graph needs, each further vector is put into the index on disk, ten
 * times as slow; Postgres's default is enough for 25,000 vectors of 384 dimensions.
 */
async function memoryFor(db: Database, vectors: string, count: number): Promise<string> {
  const { rows } = await db.executeSql<{ kb: string }>(
    `SELECT trunc(greatest(pg_size_bytes(current_setting('maintenance_work_mem')),
                           least(pg_table_size($1::regclass) + ${GRAPH_BYTES} * $2::numeric, pg_size_bytes(current_setting('shared_buffers')))) / 1024)::text AS kb`,
    [vectors, count],
  );
  return `maintenance_work_mem = '${Number(rows[0]?.kb)}kB'`;
}
