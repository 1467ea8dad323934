import { and, asc, eq } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { agents, tenants } from "./schema.ts";

/** The tenant that exists without being created; embedded use and a team's first server know no other. */
export const DEFAULT_TENANT_ID = "00000000-0000-4000-8000-000000000001";

export type AgentRow = typeof agents.$inferSelect;

export async function ensureDefaultTenant(sql: SqlExecutor, now: Date): Promise<void> {
  await controlDb(sql)
    .insert(tenants)
    .values({ id: DEFAULT_TENANT_ID, name: "default", createdAt: now })
    .onConflictDoNothing();
}

export async function findAgent(sql: SqlExecutor, tenantId: string, agentId: string): Promise<AgentRow | undefined> {
  const rows = await controlDb(sql)
    .select()
    .from(agents)
    .where(and(eq(agents.tenantId, tenantId), eq(agents.id, agentId)));
  return rows[0];
}

/** All agents of a tenant, by id. */
export function listAgents(sql: SqlExecutor, tenantId: string): Promise<AgentRow[]> {
  return controlDb(sql).select().from(agents).where(eq(agents.tenantId, tenantId)).orderBy(asc(agents.id));
}

/** Reserves the names of a new agent; of several at once one wins and the others do nothing. */
export async function insertAgent(sql: SqlExecutor, row: typeof agents.$inferInsert): Promise<void> {
  await controlDb(sql).insert(agents).values(row).onConflictDoNothing();
}

export async function activateAgent(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  schemaVersion: number,
): Promise<void> {
  await controlDb(sql)
    .update(agents)
    .set({ status: "active", schemaVersion })
    .where(and(eq(agents.tenantId, tenantId), eq(agents.id, agentId)));
}
