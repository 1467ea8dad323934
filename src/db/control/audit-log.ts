import { and, desc, eq, lt } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { auditLog } from "./log-schema.ts";

export type AuditRow = typeof auditLog.$inferSelect;

/** Records an administrative act, in the transaction of the act. */
export async function insertAudit(sql: SqlExecutor, row: typeof auditLog.$inferInsert): Promise<void> {
  await controlDb(sql).insert(auditLog).values(row);
}

/** Returns whether the log has an entry of this tenant, which may have been removed since. */
export async function hasAudit(sql: SqlExecutor, tenantId: string): Promise<boolean> {
  const rows = await controlDb(sql)
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(eq(auditLog.tenantId, tenantId))
    .limit(1);
  return rows.length > 0;
}

export function countAudit(sql: SqlExecutor, tenantId: string): Promise<number> {
  return controlDb(sql).$count(auditLog, eq(auditLog.tenantId, tenantId));
}

/**
 * Reads one page of a tenant's log, newest first, starting below the entry named `before`.
 *
 * @returns undefined when the tenant's log has no such entry
 */
export async function listAudit(
  sql: SqlExecutor,
  tenantId: string,
  page: { before: string | undefined; limit: number },
): Promise<AuditRow[] | undefined> {
  const mine = eq(auditLog.tenantId, tenantId);
  const last = page.before === undefined ? undefined : await serialOf(sql, tenantId, page.before);
  if (page.before !== undefined && last === undefined) return undefined;
  return controlDb(sql)
    .select()
    .from(auditLog)
    .where(and(mine, last === undefined ? undefined : lt(auditLog.id, last)))
    .orderBy(desc(auditLog.id))
    .limit(page.limit);
}

async function serialOf(sql: SqlExecutor, tenantId: string, publicId: string): Promise<bigint | undefined> {
  const rows = await controlDb(sql)
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, tenantId), eq(auditLog.publicId, publicId)));
  return rows[0]?.id;
}
