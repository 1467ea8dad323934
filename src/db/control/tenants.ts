import { asc, eq, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { SQLSTATE, sqlState } from "../pg-error.ts";
import { controlDb } from "./control-db.ts";
import { tenants } from "./schema.ts";

/**
 * The tenant that exists without being created. Embedded use and a team's first server have no
 * other.
 */
export const DEFAULT_TENANT_ID = "00000000-0000-4000-8000-000000000001";

export type TenantRow = typeof tenants.$inferSelect;

export async function ensureDefaultTenant(sql: SqlExecutor, now: Date): Promise<void> {
  await controlDb(sql)
    .insert(tenants)
    .values({ id: DEFAULT_TENANT_ID, name: "default", createdAt: now })
    .onConflictDoNothing();
}

/**
 * Adds a tenant.
 *
 * @returns false when the name is taken
 */
export async function insertTenant(sql: SqlExecutor, row: typeof tenants.$inferInsert): Promise<boolean> {
  const rows = await controlDb(sql).insert(tenants).values(row).onConflictDoNothing().returning({ id: tenants.id });
  return rows.length > 0;
}

export async function findTenant(sql: SqlExecutor, tenantId: string): Promise<TenantRow | undefined> {
  const rows = await controlDb(sql).select().from(tenants).where(eq(tenants.id, tenantId));
  return rows[0];
}

/** The form of a tenant's id. */
export const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the id of the tenant with this name or id; without one, that of the default tenant.
 *
 * @returns undefined when there is no such tenant
 */
export async function findTenantId(sql: SqlExecutor, nameOrId?: string): Promise<string | undefined> {
  if (nameOrId === undefined) return DEFAULT_TENANT_ID;
  const rows = await controlDb(sql)
    .select({ id: tenants.id })
    .from(tenants)
    // A text in the form of an id is an id, also if a tenant has it as its name.
    .where(TENANT_ID.test(nameOrId) ? eq(tenants.id, nameOrId) : eq(tenants.name, nameOrId));
  return rows[0]?.id;
}

/** Reads one page of tenants by name, after `after`. */
export function listTenants(sql: SqlExecutor, page: { after: string; limit: number }): Promise<TenantRow[]> {
  return controlDb(sql)
    .select()
    .from(tenants)
    .where(raw`${tenants.name} > ${page.after}`)
    .orderBy(asc(tenants.name))
    .limit(page.limit);
}

/** Reads the row and locks it until the transaction ends. */
export async function lockTenant(sql: SqlExecutor, tenantId: string): Promise<TenantRow | undefined> {
  const rows = await controlDb(sql).select().from(tenants).where(eq(tenants.id, tenantId)).for("update");
  return rows[0];
}

/**
 * Keeps a tenant from being removed until the transaction ends.
 *
 * @returns false when there is no such tenant
 */
export async function lockTenantForAgents(sql: SqlExecutor, tenantId: string): Promise<boolean> {
  const rows = await controlDb(sql)
    .select({ id: tenants.id })
    .from(tenants)
    .where(eq(tenants.id, tenantId))
    .for("share");
  return rows.length > 0;
}

/**
 * Changes a tenant.
 *
 * @returns false when another tenant has the name, perhaps only since a moment ago; the caller then
 *   has to roll back the transaction
 */
export async function updateTenant(
  sql: SqlExecutor,
  tenantId: string,
  change: Partial<Pick<TenantRow, "name" | "settings" | "limits" | "disabledAt">>,
): Promise<boolean> {
  try {
    await controlDb(sql).update(tenants).set(change).where(eq(tenants.id, tenantId));
    return true;
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.uniqueViolation) throw error;
    return false;
  }
}

export async function deleteTenant(sql: SqlExecutor, tenantId: string): Promise<void> {
  await controlDb(sql).delete(tenants).where(eq(tenants.id, tenantId));
}
