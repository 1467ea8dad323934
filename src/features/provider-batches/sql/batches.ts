import { and, asc, eq, inArray, lte } from "drizzle-orm";
import { controlDb } from "../../../db/control/control-db.ts";
import type { CacheKey } from "../../../db/control/embedding-cache.ts";
import { embeddingBatches, embeddingBatchItems } from "../../../db/control/schema.ts";
import type { SqlExecutor } from "../../../db/database.ts";

export type BatchRow = typeof embeddingBatches.$inferSelect;

/** Reads an agent's batches that have not ended, and the notes of failed batches, oldest first. */
export function agentBatches(sql: SqlExecutor, tenantId: string, agentId: string): Promise<BatchRow[]> {
  return controlDb(sql)
    .select()
    .from(embeddingBatches)
    .where(isOf(tenantId, agentId))
    .orderBy(asc(embeddingBatches.createdAt), asc(embeddingBatches.id));
}

/** Stores a batch and its texts' hashes, before the provider is told of it. */
export async function insertBatch(
  sql: SqlExecutor,
  row: BatchRow,
  items: readonly { hash: string; tokens: number }[],
): Promise<void> {
  await controlDb(sql).insert(embeddingBatches).values(row);
  await sql.executeSql(
    `INSERT INTO recollect.embedding_batch_items (batch_id, hash, tokens)
     SELECT $1, i.hash, i.tokens
       FROM unnest($2::text[], $3::int[]) AS i (hash, tokens)`,
    [row.id, items.map((item) => item.hash), items.map((item) => item.tokens)],
  );
}

/**
 * Changes a batch.
 *
 * @returns false when the batch was deleted meanwhile because its agent was erased, or no longer
 *   has the status `from`
 */
export async function updateBatch(
  sql: SqlExecutor,
  id: string,
  change: Partial<Pick<BatchRow, "status" | "remoteId" | "inputFile" | "expiresAt">>,
  from?: BatchRow["status"],
): Promise<boolean> {
  const rows = await controlDb(sql)
    .update(embeddingBatches)
    .set(change)
    .where(and(eq(embeddingBatches.id, id), from && eq(embeddingBatches.status, from)))
    .returning({ id: embeddingBatches.id });
  return rows.length > 0;
}

/** Records in all batches of a generation the newest chunk up to which batches are planned. */
export async function notePlan(
  sql: SqlExecutor,
  of: { tenantId: string; agentId: string; generationId: number },
  plan: Pick<BatchRow, "plannedTo" | "backlog">,
): Promise<void> {
  await controlDb(sql)
    .update(embeddingBatches)
    .set(plan)
    .where(and(isOf(of.tenantId, of.agentId), eq(embeddingBatches.generationId, of.generationId)));
}

/** Keeps other processes from planning this agent's batches until the transaction ends. */
export async function lockBatches(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  await sql.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1, 2))", [`${tenantId}:${agentId}`]);
}

/**
 * Reads the hashes of the texts that a batch has not delivered yet, with the estimated tokens of
 * each text.
 */
export async function batchItems(sql: SqlExecutor, batchId: string): Promise<Map<string, number>> {
  const rows = await controlDb(sql)
    .select({ hash: embeddingBatchItems.hash, tokens: embeddingBatchItems.tokens })
    .from(embeddingBatchItems)
    .where(eq(embeddingBatchItems.batchId, batchId));
  return new Map(rows.map((row) => [row.hash, row.tokens]));
}

/**
 * Removes hashes from a batch whose vectors are about to be stored.
 *
 * @returns the hashes that the batch still had; each hash is returned to one caller only
 */
export async function takeItems(sql: SqlExecutor, batchId: string, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await controlDb(sql)
    .delete(embeddingBatchItems)
    .where(and(eq(embeddingBatchItems.batchId, batchId), inArray(embeddingBatchItems.hash, [...hashes])))
    .returning({ hash: embeddingBatchItems.hash });
  return new Set(rows.map((row) => row.hash));
}

/**
 * Returns the texts that a batch of the agent already holds, for the same provider, model and
 * endpoint.
 */
export async function hashesInBatches(
  sql: SqlExecutor,
  key: CacheKey & { agentId: string },
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const { rows } = await sql.executeSql<{ hash: string }>(
    `SELECT DISTINCT i.hash
       FROM recollect.embedding_batches b
       JOIN recollect.embedding_batch_items i ON i.batch_id = b.id
      WHERE b.tenant_id = $1
        AND b.agent_id = $2
        AND b.provider = $3
        AND b.model = $4
        AND b.provider_key = $5
        AND i.hash = ANY($6::text[])`,
    [key.tenantId, key.agentId, key.provider, key.model, key.providerKey, hashes],
  );
  return new Set(rows.map((row) => row.hash));
}

/** Deletes a batch with its remaining texts. */
export async function deleteBatch(sql: SqlExecutor, id: string): Promise<void> {
  await controlDb(sql).delete(embeddingBatches).where(eq(embeddingBatches.id, id));
}

/** Deletes a batch's remaining texts, so that they are embedded without it. */
export async function dropItems(sql: SqlExecutor, batchId: string): Promise<void> {
  await controlDb(sql).delete(embeddingBatchItems).where(eq(embeddingBatchItems.batchId, batchId));
}

/** Deletes the expired notes of an agent's failed batches, so that batches are tried again. */
export async function deleteOldNotes(sql: SqlExecutor, tenantId: string, agentId: string, now: Date): Promise<void> {
  await controlDb(sql)
    .delete(embeddingBatches)
    .where(and(isOf(tenantId, agentId), eq(embeddingBatches.status, "direct"), lte(embeddingBatches.expiresAt, now)));
}

function isOf(tenantId: string, agentId: string) {
  return and(eq(embeddingBatches.tenantId, tenantId), eq(embeddingBatches.agentId, agentId));
}
