import type { Database } from "../../database.ts";
import type { VectorTable } from "../space/generation-tables.ts";

/**
 * Builds the HNSW index of a generation beside running writes, with the service's own role; idempotent. An index that an
 * earlier try left invalid is dropped first. PGlite has one session, so there is nothing to run beside.
 */
export async function buildVectorIndex(db: Database, table: VectorTable): Promise<void> {
  const index = `vectors_${table.generationId}_hnsw`;
  const { rows } = await db.executeSql<{ valid: boolean }>(
    `SELECT i.indisvalid AS valid FROM pg_index i WHERE i.indexrelid = to_regclass($1)`,
    [`${table.schema}.${index}`],
  );
  if (rows[0]?.valid) return;
  const concurrently = db.kind === "postgres" ? "CONCURRENTLY" : "";
  if (rows[0]) await db.executeSql(`DROP INDEX ${concurrently} IF EXISTS ${table.schema}.${index}`);
  const operators = table.dimensions > 2000 ? "halfvec_cosine_ops" : "vector_cosine_ops";
  await db.executeSql(
    `CREATE INDEX ${concurrently} ${index} ON ${table.schema}.vectors_${table.generationId} USING hnsw (embedding ${operators})`,
  );
}
