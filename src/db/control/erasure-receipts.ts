import { and, desc, eq } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { erasureReceipts } from "./schema.ts";

export type ReceiptRow = typeof erasureReceipts.$inferSelect;

export async function insertReceipt(sql: SqlExecutor, row: ReceiptRow): Promise<void> {
  await controlDb(sql).insert(erasureReceipts).values(row);
}

/** A tenant's receipts, newest first, without the hashes. */
export function listReceipts(
  sql: SqlExecutor,
  tenantId: string,
  limit: number,
): Promise<Omit<ReceiptRow, "pathHashes">[]> {
  const { id, tenantId: tenant, agentId, actor, erasedAt, counts } = erasureReceipts;
  return controlDb(sql)
    .select({ id, tenantId: tenant, agentId, actor, erasedAt, counts })
    .from(erasureReceipts)
    .where(eq(tenant, tenantId))
    .orderBy(desc(erasedAt))
    .limit(limit);
}

export async function findReceipt(
  sql: SqlExecutor,
  tenantId: string,
  receiptId: string,
): Promise<ReceiptRow | undefined> {
  const rows = await controlDb(sql)
    .select()
    .from(erasureReceipts)
    .where(and(eq(erasureReceipts.tenantId, tenantId), eq(erasureReceipts.id, receiptId)));
  return rows[0];
}
