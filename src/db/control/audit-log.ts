import { and, desc, eq, lt } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { auditLog } from "./schema.ts";

export type AuditRow = typeof auditLog.$inferSelect;

/** Notes an administrative act, in the transaction of the act. */
export async function insertAudit(sql: SqlExecutor, row: typeof auditLog.$inferInsert): Promise<void> {
  await controlDb(sql).insert(auditLog).values(row);
}

/** One page of a tenant's log, newest first, before the entry `before`. */
export function listAudit(
  sql: SqlExecutor,
  tenantId: string,
  page: { before: bigint | undefined; limit: number },
): Promise<AuditRow[]> {
  const mine = eq(auditLog.tenantId, tenantId);
  return controlDb(sql)
    .select()
    .from(auditLog)
    .where(page.before === undefined ? mine : and(mine, lt(auditLog.id, page.before)))
    .orderBy(desc(auditLog.id))
    .limit(page.limit);
}
