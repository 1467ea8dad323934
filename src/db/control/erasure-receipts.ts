import { and, desc, eq, sql as raw } from "drizzle-orm";
import type { PagePosition } from "../../base/page-cursor.ts";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { microsOf, placeRow } from "./place.ts";
import { erasureReceipts } from "./schema.ts";

export type ReceiptRow = typeof erasureReceipts.$inferSelect;

export async function insertReceipt(sql: SqlExecutor, row: ReceiptRow): Promise<void> {
  await controlDb(sql).insert(erasureReceipts).values(row);
}

/** One page of a tenant's receipts, newest first, after the cursor `after`, without the hashes. */
export function listReceipts(
  sql: SqlExecutor,
  tenantId: string,
  { after, limit }: { after: PagePosition | undefined; limit: number },
): Promise<(Omit<ReceiptRow, "pathHashes"> & PagePosition)[]> {
  const { id, tenantId: tenant, agentId, actor, erasedAt, counts } = erasureReceipts;
  return controlDb(sql)
    .select({ id, tenantId: tenant, agentId, actor, erasedAt, counts, micros: microsOf(erasedAt) })
    .from(erasureReceipts)
    .where(and(eq(tenant, tenantId), after && raw`(${erasedAt}, ${id}) < ${placeRow(after)}`))
    .orderBy(desc(erasedAt), desc(id))
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
