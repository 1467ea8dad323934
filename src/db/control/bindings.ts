import { and, asc, eq } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { bindings } from "./schema.ts";

export type BindingRow = Pick<typeof bindings.$inferSelect, "agentId" | "match">;

/** A tenant's routing rules, in their order. */
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

/** Adds rules that lead to an agent behind those that there are, which go first. */
export async function appendBindings(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  matches: readonly BindingRow["match"][],
): Promise<void> {
  if (matches.length === 0) return;
  const rules = await listBindings(sql, tenantId);
  await replaceBindings(sql, tenantId, [...rules, ...matches.map((match) => ({ agentId, match }))]);
}

/** Deletes the rules that lead to an agent. */
export async function deleteAgentBindings(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  await controlDb(sql)
    .delete(bindings)
    .where(and(eq(bindings.tenantId, tenantId), eq(bindings.agentId, agentId)));
}
