import { and, eq, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { usage } from "./schema.ts";

/** The size of an agent's or a tenant's memory. */
export interface Usage {
  files: number;
  bytes: number;
  chunks: number;
  facts: number;
  /** The bytes of earlier versions of files, which are not in `bytes`. */
  historyBytes: number;
}

/** The amounts that a write adds to the usage. */
export type UsageDelta = Omit<Usage, "historyBytes"> & { historyBytes?: number };

/** Stores the usage of an agent that has no row yet: zeros for a new agent. */
export async function insertUsage(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  counted: UsageDelta,
): Promise<void> {
  await controlDb(sql)
    .insert(usage)
    .values({ tenantId, agentId, ...counted })
    .onConflictDoNothing();
}

/** Returns an agent's usage by its counters. */
export async function sumUsageOf(sql: SqlExecutor, tenantId: string, agentId: string): Promise<Usage> {
  const { files, bytes, chunks, facts, historyBytes } = usage;
  const rows = await controlDb(sql)
    .select({ files, bytes, chunks, facts, historyBytes })
    .from(usage)
    .where(and(eq(usage.tenantId, tenantId), eq(usage.agentId, agentId)));
  return rows[0] ?? { files: 0, bytes: 0, chunks: 0, facts: 0, historyBytes: 0 };
}

/**
 * Adds to an agent's usage and returns the sums; undefined when the agent has no row. The row stays
 * locked until the transaction ends, so when two writers are near a limit, the second sees the
 * first one's usage.
 */
export async function addUsage(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  delta: UsageDelta,
): Promise<Usage | undefined> {
  const { rows } = await sql.executeSql<Usage>(
    `UPDATE recollect.usage
        SET files = files + $3, bytes = bytes + $4, chunks = chunks + $5, facts = facts + $6,
            history_bytes = history_bytes + $7
      WHERE tenant_id = $1
        AND agent_id = $2
     RETURNING files::float8 AS files, bytes::float8 AS bytes, chunks::float8 AS chunks, facts::float8 AS facts,
               history_bytes::float8 AS "historyBytes"`,
    [tenantId, agentId, delta.files, delta.bytes, delta.chunks, delta.facts, delta.historyBytes ?? 0],
    { prepare: true },
  );
  return rows[0];
}

/** Sets the number of an agent's chunks after its index was rebuilt under other settings. */
export async function setChunkUsage(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  chunks: number,
): Promise<void> {
  await controlDb(sql)
    .update(usage)
    .set({ chunks })
    .where(and(eq(usage.tenantId, tenantId), eq(usage.agentId, agentId)));
}

/** Returns the sums over all agents of a tenant, and the number of agents. */
export async function sumUsage(sql: SqlExecutor, tenantId: string): Promise<Usage & { agents: number }> {
  const total = (column: typeof usage.files) => raw<number>`coalesce(sum(${column}), 0)::float8`;
  const rows = await controlDb(sql)
    .select({
      agents: raw<number>`count(*)::int`,
      files: total(usage.files),
      bytes: total(usage.bytes),
      chunks: total(usage.chunks),
      facts: total(usage.facts),
      historyBytes: total(usage.historyBytes),
    })
    .from(usage)
    .where(eq(usage.tenantId, tenantId));
  return rows[0] ?? { agents: 0, files: 0, bytes: 0, chunks: 0, facts: 0, historyBytes: 0 };
}

/** Subtracts deleted versions from an agent's usage. The caller has locked the row. */
export async function lessHistory(sql: SqlExecutor, tenantId: string, agentId: string, bytes: number): Promise<void> {
  await sql.executeSql(
    "UPDATE recollect.usage SET history_bytes = history_bytes - $3 WHERE tenant_id = $1 AND agent_id = $2",
    [tenantId, agentId, bytes],
  );
}

/** Makes writers near a tenant's limit wait for each other until the transaction ends. */
export async function lockTenantUsage(sql: SqlExecutor, tenantId: string): Promise<void> {
  await sql.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [tenantId]);
}

export async function deleteUsage(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  await controlDb(sql)
    .delete(usage)
    .where(and(eq(usage.tenantId, tenantId), eq(usage.agentId, agentId)));
}
