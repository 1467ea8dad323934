import { and, asc, eq, getTableColumns, gt, isNull, or, sql as raw } from "drizzle-orm";
import type { PagePosition } from "../../base/page-cursor.ts";
import type { SqlExecutor } from "../database.ts";
import { builtOnce, controlDb } from "./control-db.ts";
import { microsOf, placeRow } from "./place.ts";
import { apiKeys, tenants } from "./schema.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** @returns false when a key with this prefix exists */
export async function insertApiKey(sql: SqlExecutor, row: typeof apiKeys.$inferInsert): Promise<boolean> {
  const rows = await controlDb(sql).insert(apiKeys).values(row).onConflictDoNothing().returning({ id: apiKeys.id });
  return rows.length > 0;
}

/** A key with the state and limits of its tenant. */
export interface KeyLookup {
  key: ApiKeyRow;
  tenantDisabledAt: Date | null;
  tenantLimits: Record<string, number>;
}

/** Reads the keys with these prefixes. The result is keyed by prefix. */
export async function findApiKeys(
  sql: SqlExecutor,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, KeyLookup>> {
  const rows = await keyLookup(sql).execute({ prefixes });
  return new Map(rows.map((row) => [row.key.prefix, row]));
}

const keyLookup = builtOnce((db) =>
  db
    .select({ key: apiKeys, tenantDisabledAt: tenants.disabledAt, tenantLimits: tenants.limits })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(raw`${apiKeys.prefix} = ANY(${raw.placeholder("prefixes")}::text[])`)
    .prepare("key_lookup"),
);

/**
 * Reads one page of a tenant's keys, oldest first, after the cursor `after`. Revoked and expired
 * keys are included.
 */
export function listApiKeys(
  sql: SqlExecutor,
  tenantId: string,
  { after, limit }: { after: PagePosition | undefined; limit: number },
): Promise<(ApiKeyRow & PagePosition)[]> {
  const { createdAt, id } = apiKeys;
  return controlDb(sql)
    .select({ ...getTableColumns(apiKeys), micros: microsOf(createdAt) })
    .from(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), after && raw`(${createdAt}, ${id}) > ${placeRow(after)}`))
    .orderBy(asc(createdAt), asc(id))
    .limit(limit);
}

export async function countApiKeys(sql: SqlExecutor, tenantId: string): Promise<number> {
  return controlDb(sql).$count(apiKeys, eq(apiKeys.tenantId, tenantId));
}

/** Returns whether there is any key that the service would accept. */
export async function anyUsableKey(sql: SqlExecutor, now: Date, scope?: "admin"): Promise<boolean> {
  const rows = await controlDb(sql)
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(
      and(
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
        or(scope ? undefined : isNull(tenants.disabledAt), raw`'admin' = ANY(${apiKeys.scopes})`),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/**
 * Revokes a key. A revoked key keeps its first time of revocation.
 *
 * @returns the key, or undefined when the tenant has none with this id
 */
export async function revokeApiKey(
  sql: SqlExecutor,
  tenantId: string,
  keyId: string,
  now: Date,
): Promise<ApiKeyRow | undefined> {
  const rows = await controlDb(sql)
    .update(apiKeys)
    .set({ revokedAt: raw`coalesce(${apiKeys.revokedAt}, ${now.toISOString()}::timestamptz)` })
    .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.id, keyId)))
    .returning();
  return rows[0];
}

export async function touchApiKey(sql: SqlExecutor, keyId: string, now: Date): Promise<void> {
  await controlDb(sql).update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, keyId));
}

/**
 * Deletes the keys that were bound to an agent.
 *
 * @returns the number of deleted keys
 */
export async function deleteAgentKeys(sql: SqlExecutor, tenantId: string, agentId: string): Promise<number> {
  const rows = await controlDb(sql)
    .delete(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.agentId, agentId)))
    .returning({ id: apiKeys.id });
  return rows.length;
}

export async function deleteTenantKeys(sql: SqlExecutor, tenantId: string): Promise<number> {
  const rows = await controlDb(sql).delete(apiKeys).where(eq(apiKeys.tenantId, tenantId)).returning({ id: apiKeys.id });
  return rows.length;
}
