import { and, desc, eq, sql as raw } from "drizzle-orm";
import type { PagePosition } from "../../base/page-cursor.ts";
import type { SchemaName } from "../agent/schema/schema-name.ts";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { microsOf, placeRow } from "./place.ts";
import { erasureReceipts } from "./schema.ts";

/** A receipt with all of its hashes, or with one page of them. */
export type ReceiptRow = typeof erasureReceipts.$inferSelect;

/** A receipt without the hashes of paths. A large agent has millions of them. */
export type ReceiptSummary = Omit<ReceiptRow, "pathHashes">;

/**
 * Stores a receipt with the SHA-256 of each path in the agent's schema, as lower-case hex. The
 * database computes the hashes: in this process the hashes of a million files would take 100 MB.
 *
 * @param schema the schema to read; undefined: the agent has none
 */
export async function insertReceipt(
  sql: SqlExecutor,
  { id, tenantId, agentId, actor, erasedAt, counts }: ReceiptSummary,
  schema: SchemaName | undefined,
): Promise<void> {
  // Written with FROM instead of a subquery, because Citus refuses subqueries in an INSERT of one
  // row.
  const hashes = "coalesce(array_agg(encode(sha256(convert_to(path, 'UTF8')), 'hex')), '{}')";
  await sql.executeSql(
    `INSERT INTO recollect.erasure_receipts (id, tenant_id, agent_id, actor, erased_at, counts, path_hashes)
     SELECT $1::uuid, $2::uuid, $3::text, $4::text, $5::timestamptz, $6::jsonb, ${schema ? `${hashes} FROM ${schema}.files` : "'{}'::text[]"}`,
    [id, tenantId, agentId, actor, erasedAt, JSON.stringify(counts)],
  );
}

/** Stores the counts that became known only after the receipt was created. */
export async function updateReceiptCounts(
  sql: SqlExecutor,
  receiptId: string,
  counts: Record<string, number>,
): Promise<void> {
  await controlDb(sql).update(erasureReceipts).set({ counts }).where(eq(erasureReceipts.id, receiptId));
}

export function countReceipts(sql: SqlExecutor, tenantId: string): Promise<number> {
  return controlDb(sql).$count(erasureReceipts, eq(erasureReceipts.tenantId, tenantId));
}

/**
 * Reads one page of a tenant's receipts, newest first, after the cursor `after`, without the
 * hashes.
 */
export function listReceipts(
  sql: SqlExecutor,
  tenantId: string,
  { after, limit }: { after: PagePosition | undefined; limit: number },
): Promise<(ReceiptSummary & PagePosition)[]> {
  const { id, tenantId: tenant, agentId, actor, erasedAt, counts } = erasureReceipts;
  return controlDb(sql)
    .select({ id, tenantId: tenant, agentId, actor, erasedAt, counts, micros: microsOf(erasedAt) })
    .from(erasureReceipts)
    .where(and(eq(tenant, tenantId), after && raw`(${erasedAt}, ${id}) < ${placeRow(after)}`))
    .orderBy(desc(erasedAt), desc(id))
    .limit(limit);
}

/**
 * Reads a receipt with the first `limit` of its hashes after the hash `after`, in the order of the
 * hashes.
 */
export async function findReceipt(
  sql: SqlExecutor,
  tenantId: string,
  receiptId: string,
  { after, limit }: { after: string; limit: number },
): Promise<ReceiptRow | undefined> {
  const { id, tenantId: tenant, agentId, actor, erasedAt, counts, pathHashes } = erasureReceipts;
  const page = raw<string[]>`ARRAY(
    SELECT hash
      FROM unnest(${pathHashes}) AS hash
     WHERE hash COLLATE "C" > ${after}
     ORDER BY hash COLLATE "C"
     LIMIT ${limit})`;
  const rows = await controlDb(sql)
    .select({ id, tenantId: tenant, agentId, actor, erasedAt, counts, pathHashes: page })
    .from(erasureReceipts)
    .where(and(eq(tenant, tenantId), eq(id, receiptId)));
  return rows[0];
}
