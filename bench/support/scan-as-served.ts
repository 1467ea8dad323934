import { vectorScan } from "../../src/db/agent/candidates/vector-scan.ts";
import type { SchemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../src/db/database.ts";

/**
 * Makes this transaction scan the HNSW index of an agent's first generation as the service's
 * searches do.
 */
export async function scanAsServed(tx: SqlExecutor, schema: SchemaName): Promise<void> {
  const { rows } = await tx.executeSql<{ width: number | null }>(
    `SELECT vector_scan AS width FROM ${schema}.generations WHERE id = 1`,
  );
  await tx.executeSql(vectorScan(rows[0]?.width ?? null).join("; "));
}
