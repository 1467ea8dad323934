import { and, asc, count, eq, gt, lt, ne, not, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { builtOnce, controlDb } from "./control-db.ts";
import { agents, tenants, usage } from "./schema.ts";
import { type SharedAgent, sharedAgents } from "./shares.ts";

export type AgentRow = typeof agents.$inferSelect;

/**
 * A tenant, its agent with the given id if there is one, and the agent's usage if it has been
 * counted.
 */
export interface AgentLookup {
  tenant: typeof tenants.$inferSelect;
  agent: AgentRow | null;
  usageFiles: number | null;
  usageFacts: number | null;
  /** The agents whose memory this agent reads; null: none. */
  reads: SharedAgent[] | null;
}

/**
 * Looks up a tenant and its agent in one statement, by primary keys. Every request to an agent
 * begins with it.
 *
 * @returns undefined when there is no such tenant
 */
export async function lookUpAgent(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
): Promise<AgentLookup | undefined> {
  const rows = await agentLookup(sql).execute({ tenantId, agentId });
  return rows[0];
}

const agentLookup = builtOnce((db) => {
  const agentId = raw.placeholder("agentId");
  return db
    .select({ tenant: tenants, agent: agents, usageFiles: usage.files, usageFacts: usage.facts, reads: sharedAgents })
    .from(tenants)
    .leftJoin(agents, and(eq(agents.tenantId, tenants.id), eq(agents.id, agentId)))
    .leftJoin(usage, and(eq(usage.tenantId, tenants.id), eq(usage.agentId, agentId)))
    .where(eq(tenants.id, raw.placeholder("tenantId")))
    .prepare("agent_lookup");
});

export async function findAgent(sql: SqlExecutor, tenantId: string, agentId: string): Promise<AgentRow | undefined> {
  const rows = await controlDb(sql).select().from(agents).where(isAgent(tenantId, agentId));
  return rows[0];
}

/** Reads the row and locks it until the transaction ends. */
export async function lockAgent(sql: SqlExecutor, tenantId: string, agentId: string): Promise<AgentRow | undefined> {
  const rows = await controlDb(sql).select().from(agents).where(isAgent(tenantId, agentId)).for("update");
  return rows[0];
}

/**
 * Returns whether an agent with this schema is in use. Called when a statement met a missing schema
 * or role.
 */
export async function isSchemaInUse(sql: SqlExecutor, schemaName: string): Promise<boolean> {
  const rows = await controlDb(sql)
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.schemaName, schemaName), ne(agents.status, "erasing")));
  return rows.length > 0;
}

/**
 * Reads one page of a tenant's agents with their usage: those with ids after `after`, or the one
 * with `id`.
 */
export function listAgents(
  sql: SqlExecutor,
  tenantId: string,
  page: { after: string; limit: number; id?: string },
): Promise<{ agent: AgentRow; usage: typeof usage.$inferSelect | null }[]> {
  const which = page.id === undefined ? gt(agents.id, page.after) : eq(agents.id, page.id);
  return controlDb(sql)
    .select({ agent: agents, usage })
    .from(agents)
    .leftJoin(usage, and(eq(usage.tenantId, agents.tenantId), eq(usage.agentId, agents.id)))
    .where(and(eq(agents.tenantId, tenantId), which, ne(agents.status, "erasing")))
    .orderBy(asc(agents.id))
    .limit(page.limit);
}

/** Returns the ids that come after `after`, in the order in which `listAgents` lists agents. */
export async function agentIdsInOrder(sql: SqlExecutor, ids: readonly string[], after: string): Promise<string[]> {
  const { rows } = await sql.executeSql<{ id: string }>(
    "SELECT id FROM unnest($1::text[]) AS n (id) WHERE id > $2::text ORDER BY id",
    [ids, after],
  );
  return rows.map(({ id }) => id);
}

/** Returns the ids of a tenant's first agents. Agents that are being made or erased count too. */
export async function firstAgentIds(sql: SqlExecutor, tenantId: string, limit: number): Promise<string[]> {
  const rows = await controlDb(sql)
    .select({ id: agents.id })
    .from(agents)
    .where(eq(agents.tenantId, tenantId))
    .orderBy(asc(agents.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function countAgents(sql: SqlExecutor, tenantId: string): Promise<number> {
  return controlDb(sql).$count(agents, eq(agents.tenantId, tenantId));
}

/**
 * Reserves the names of a new agent.
 *
 * @returns false when the tenant has an agent with this id, or is creating one
 */
export async function insertAgent(sql: SqlExecutor, row: typeof agents.$inferInsert): Promise<boolean> {
  const rows = await controlDb(sql).insert(agents).values(row).onConflictDoNothing().returning({ id: agents.id });
  return rows.length > 0;
}

export async function updateAgent(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  change: Partial<
    Pick<AgentRow, "name" | "settings" | "limits" | "status" | "schemaVersion" | "breakingVersion" | "createdAt">
  >,
): Promise<void> {
  await controlDb(sql).update(agents).set(change).where(isAgent(tenantId, agentId));
}

/** Records that a sync of the agent has ended. */
export async function noteSync(sql: SqlExecutor, tenantId: string, agentId: string, at: Date): Promise<void> {
  await controlDb(sql).update(agents).set({ syncedAt: at }).where(isAgent(tenantId, agentId));
}

export async function deleteAgent(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  await controlDb(sql).delete(agents).where(isAgent(tenantId, agentId));
}

/**
 * Records that an import has made progress. During an import, `createdAt` holds the time of its
 * last progress.
 *
 * @returns false when the agent is no longer being imported
 */
export async function touchImport(sql: SqlExecutor, schemaName: string, now: Date): Promise<boolean> {
  const rows = await controlDb(sql)
    .update(agents)
    .set({ createdAt: now })
    .where(and(eq(agents.schemaName, schemaName), eq(agents.status, "importing")))
    .returning({ id: agents.id });
  return rows.length > 0;
}

/**
 * Marks agents for erasure whose import has made no progress since `before`. Branches are left out,
 * because their jobs look after them.
 *
 * @returns how many agents are still being imported
 */
export async function giveUpImports(sql: SqlExecutor, before: Date): Promise<number> {
  const isBranch = raw`EXISTS (SELECT FROM recollect.branches b WHERE b.schema_name = ${agents.schemaName})`;
  const isImport = and(eq(agents.status, "importing"), not(isBranch));
  await controlDb(sql)
    .update(agents)
    .set({ status: "erasing" })
    .where(and(isImport, lt(agents.createdAt, before)));
  return controlDb(sql).$count(agents, isImport);
}

/** An agent with its own and its tenant's settings. */
export interface AgentInUse {
  tenantId: string;
  agentId: string;
  schemaName: string;
  settings: AgentRow["settings"];
  tenantSettings: AgentRow["settings"];
  tenantDisabledAt: Date | null;
  /** The agent's counted facts; null: its usage has not been counted yet. */
  facts: number | null;
  historyBytes: number | null;
}

/** Reads one page of the active agents of all tenants, ordered by tenant and id, after `after`. */
export function agentsInUse(
  sql: SqlExecutor,
  after: { tenantId: string; agentId: string } | undefined,
  limit: number,
): Promise<AgentInUse[]> {
  const { tenantId, id, schemaName, settings, status } = agents;
  const behind = after === undefined ? undefined : raw`(${tenantId}, ${id}) > (${after.tenantId}, ${after.agentId})`;
  const db = controlDb(sql);
  // Limited before the join: otherwise Postgres sorts all agents for each page while its statistics
  // are old.
  const page = db
    .select({ tenantId, agentId: id, schemaName, settings })
    .from(agents)
    .where(and(eq(status, "active"), behind))
    .orderBy(asc(tenantId), asc(id))
    .limit(limit)
    .as("page");
  return db
    .select({
      tenantId: page.tenantId,
      agentId: page.agentId,
      schemaName: page.schemaName,
      settings: page.settings,
      tenantSettings: tenants.settings,
      tenantDisabledAt: tenants.disabledAt,
      facts: usage.facts,
      historyBytes: usage.historyBytes,
    })
    .from(page)
    .innerJoin(tenants, eq(tenants.id, page.tenantId))
    .leftJoin(usage, and(eq(usage.tenantId, page.tenantId), eq(usage.agentId, page.agentId)))
    .orderBy(asc(page.tenantId), asc(page.agentId));
}

/** Records that an agent's schema has been migrated. */
export async function noteMigrated(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  version: { schemaVersion: number; breakingVersion: number },
): Promise<void> {
  await controlDb(sql)
    .update(agents)
    .set({ ...version, migrationError: null, migrationFailedAt: null, migrationAttempts: 0 })
    .where(isAgent(tenantId, agentId));
}

/**
 * Records that an agent's schema could not be migrated to a version, and why: an error code or
 * SQLSTATE, never a message with values. If another process has migrated the agent meanwhile,
 * nothing is recorded.
 */
export async function noteMigrationFailed(
  sql: SqlExecutor,
  tenantId: string,
  agentId: string,
  failure: { version: number; error: string; now: Date },
): Promise<void> {
  await controlDb(sql)
    .update(agents)
    .set({
      migrationError: failure.error,
      migrationFailedAt: failure.now,
      migrationAttempts: raw`${agents.migrationAttempts} + 1`,
    })
    .where(and(isAgent(tenantId, agentId), lt(agents.schemaVersion, failure.version)));
}

/**
 * Reads agents whose schema is older than `version`. Agents with the fewest failed attempts come
 * first: otherwise the few agents that cannot be migrated would be the canaries of every attempt.
 * Among equals the smallest memory comes first, which makes a cheap canary.
 */
export function agentsBehind(
  sql: SqlExecutor,
  version: number,
  page: { failedBefore: Date; limit: number },
): Promise<AgentRow[]> {
  return controlDb(sql)
    .select({ agent: agents })
    .from(agents)
    .leftJoin(usage, and(eq(usage.tenantId, agents.tenantId), eq(usage.agentId, agents.id)))
    .where(
      and(
        lt(agents.schemaVersion, version),
        raw`${agents.status} IN ('active', 'disabled')`,
        raw`(${agents.migrationFailedAt} IS NULL OR ${agents.migrationFailedAt} < ${page.failedBefore.toISOString()}::timestamptz)`,
      ),
    )
    .orderBy(asc(agents.migrationAttempts), asc(raw`coalesce(${usage.bytes}, 0)`), asc(agents.schemaName))
    .limit(page.limit)
    .then((rows) => rows.map((row) => row.agent));
}

/**
 * Reads one page of the agents of all tenants whose schema has been created, ordered by its name,
 * after `after`.
 */
export function agentsWithSchema(sql: SqlExecutor, after: string, limit: number): Promise<AgentRow[]> {
  return controlDb(sql)
    .select()
    .from(agents)
    .where(and(gt(agents.schemaName, after), gt(agents.schemaVersion, 0)))
    .orderBy(asc(agents.schemaName))
    .limit(limit);
}

/** Counts the agents at each schema version. */
export function countByVersion(sql: SqlExecutor): Promise<{ schemaVersion: number; agents: number }[]> {
  return controlDb(sql)
    .select({ schemaVersion: agents.schemaVersion, agents: count() })
    .from(agents)
    .where(raw`${agents.status} IN ('active', 'disabled')`)
    .groupBy(agents.schemaVersion)
    .orderBy(asc(agents.schemaVersion));
}

/** Reads the agents whose last attempt to migrate failed, longest ago first. */
export function agentsFailed(sql: SqlExecutor, limit: number): Promise<AgentRow[]> {
  return controlDb(sql)
    .select()
    .from(agents)
    .where(raw`${agents.migrationError} IS NOT NULL`)
    .orderBy(asc(agents.migrationFailedAt))
    .limit(limit);
}

/** Reads the agents whose erasure has begun and not finished. */
export function agentsBeingErased(sql: SqlExecutor, limit: number): Promise<AgentRow[]> {
  return controlDb(sql).select().from(agents).where(eq(agents.status, "erasing")).limit(limit);
}

function isAgent(tenantId: string, agentId: string) {
  return and(eq(agents.tenantId, tenantId), eq(agents.id, agentId));
}
