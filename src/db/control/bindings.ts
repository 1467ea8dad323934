import { and, asc, eq, max } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { bindings } from "./schema.ts";

export type BindingRow = Pick<typeof bindings.$inferSelect, "agentId" | "match">;

/** Reads a tenant's routing rules, in their order. */
export function listBindings(sql: SqlExecutor, tenantId: string): Promise<BindingRow[]> {
  return controlDb(sql)
    .select({ agentId: bindings.agentId, match: bindings.match })
    .from(bindings)
    .where(eq(bindings.tenantId, tenantId))
    .orderBy(asc(bindings.position));
}

/** Replaces a tenant's rules. */
export async function replaceBindings(sql: SqlExecutor, tenantId: string, rules: readonly BindingRow[]): Promise<void> {
  await controlDb(sql).delete(bindings).where(eq(bindings.tenantId, tenantId));
  if (rules.length === 0) return;
  await controlDb(sql)
    .insert(bindings)
    .values(rules.map(({ agentId, match }, position) => ({ tenantId, position, agentId, match })));
}

/** Deletes a tenant's rules. @returns their number */
export async function deleteTenantBindings(sql: SqlExecutor, tenantId: string): Promise<number> {
  const rows = await controlDb(sql)
    .delete(bindings)
    .where(eq(bindings.tenantId, tenantId))
    .returning({ position: bindings.position });
  return rows.length;
}

/** Adds rules after the existing ones. */
export async function appendBindings(sql: SqlExecutor, tenantId: string, rules: readonly BindingRow[]): Promise<void> {
  if (rules.length === 0) return;
  const [last] = await controlDb(sql)
    .select({ position: max(bindings.position) })
    .from(bindings)
    .where(eq(bindings.tenantId, tenantId));
  const first = (last?.position ?? -1) + 1;
  await controlDb(sql)
    .insert(bindings)
    .values(rules.map(({ agentId, match }, at) => ({ tenantId, position: first + at, agentId, match })));
}

/** Deletes the rules that lead to an agent. */
export async function deleteAgentBindings(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  await controlDb(sql)
    .delete(bindings)
    .where(and(eq(bindings.tenantId, tenantId), eq(bindings.agentId, agentId)));
}
