import { and, eq, ne, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { embeddingBatches } from "./schema.ts";

/**
 * Deletes all of an agent's batches. An erasure deletes them even where the feature that makes
 * batches is switched off.
 *
 * @returns how many of them had not ended
 */
export async function deleteAgentBatches(sql: SqlExecutor, tenantId: string, agentId: string): Promise<number> {
  const rows = await controlDb(sql)
    .delete(embeddingBatches)
    .where(and(eq(embeddingBatches.tenantId, tenantId), eq(embeddingBatches.agentId, agentId)))
    .returning({ open: raw<boolean>`${ne(embeddingBatches.status, "direct")}` });
  return rows.filter((row) => row.open).length;
}
