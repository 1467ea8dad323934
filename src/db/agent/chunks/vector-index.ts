import type { Database } from "../../database.ts";
import { BUILD_MS } from "../../pg-limits.ts";
import { type VectorTable, vectorType } from "../schema/generation-tables.ts";

/**
 * How many candidates the build of the graph considers when it looks for a vector's neighbours.
 * With pgvector's 64, a scan of the index misses vectors that the same scan finds with 128. A build
 * with 128 takes up to twice as long (bench/notes/vectors.md, "What an HNSW scan finds").
 */
const EF_CONSTRUCTION = 128;
/**
 * The number of vectors from which the larger setting is used. With it, a scan of a large index
 * finds as much with half as many candidates. In a smaller index a scan keeps the fewest candidates
 * either way.
 */
const LARGE = 250_000;
const EF_CONSTRUCTION_OF_LARGE = 256;

/**
 * Builds the HNSW index of a generation while writes go on, with the service's own role;
 * idempotent. An invalid index that an earlier attempt left is dropped first. PGlite has one
 * session, so it builds without CONCURRENTLY.
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

/** The bytes that the graph takes for a vector during the build, besides the vector's numbers. */
const GRAPH_BYTES = 1000;

/**
 * Returns the setting of the build's memory: enough for the vectors and the graph, but no more than
 * `shared_buffers`, which shows how much of the machine the operator gives to Postgres. With less
 * memory than the graph needs, each further vector is inserted into the index on disk, ten times as
 * slowly. Postgres' default is enough for 25,000 vectors of 384 dimensions.
 */
async function memoryFor(db: Database, vectors: string, count: number): Promise<string> {
  const { rows } = await db.executeSql<{ kb: string }>(
    `SELECT trunc(greatest(pg_size_bytes(current_setting('maintenance_work_mem')),
                           least(pg_table_size($1::regclass) + ${GRAPH_BYTES} * $2::numeric,
                                 pg_size_bytes(current_setting('shared_buffers')))) / 1024)::text
              AS kb`,
    [vectors, count],
  );
  return `maintenance_work_mem = '${Number(rows[0]?.kb)}kB'`;
}
