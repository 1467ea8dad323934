import { and, asc, count, eq, gt, lt, ne, not, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { builtOnce, controlDb } from "./control-db.ts";
import { agents, tenants, usage } from "./schema.ts";
import { type SharedAgent, sharedAgents } from "./shares.ts";

export type AgentRow = typeof agents.$inferSelect;

/** A tenant with one of its agents, if there is one with this id, and whether that agent's usage is counted yet. */
export interface AgentLookup {
  tenant: typeof tenants.$inferSelect;
  agent: AgentRow | null;
  usageFiles: number | null;
  usageFacts: number | null;
  /** The agents whose memory it reads; null: none. */
  reads: SharedAgent[] | null;
}

/** One statement, by primary keys: what every request to an agent begins with. undefined: there is no such tenant. */
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

/** The row, kept from changing until the transaction ends. */
export async function lockAgent(sql: SqlExecutor, tenantId: string, agentId: string): Promise<AgentRow | undefined> {
  const rows = await controlDb(sql).select().from(agents).where(isAgent(tenantId, agentId)).for("update");
  return rows[0];
}

/** Whether an agent with this schema is in use. Asked when a statement met a missing schema or role. */
export async function isSchemaInUse(sql: SqlExecutor, schemaName: string): Promise<boolean> {
  const rows = await controlDb(sql)
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.schemaName, schemaName), ne(agents.status, "erasing")));
  return rows.length > 0;
}

/** One page of a tenant's agents by id, after `after` or the one `id`, with what they amount to. */
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

export async function countAgents(sql: SqlExecutor, tenantId: string): Promise<number> {
  return controlDb(sql).$count(agents, eq(agents.tenantId, tenantId));
}

/** Reserves the names of a new agent. @returns false when the tenant has an agent with this id, or is making one */
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

/** Notes that a sync of the agent has ended. */
export async function noteSync(sql: SqlExecutor, tenantId: string, agentId: string, at: Date): Promise<void> {
  await controlDb(sql).update(agents).set({ syncedAt: at }).where(isAgent(tenantId, agentId));
}

export async function deleteAgent(sql: SqlExecutor, tenantId: string, agentId: string): Promise<void> {
  await controlDb(sql).delete(agents).where(isAgent(tenantId, agentId));
}

/**
 * Notes that an import goes on: while it does, `createdAt` is when it last came further. @returns false when the agent is not
 * being imported any more
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
 * Marks agents for erasure whose import has not come further since `before`; branches are looked after by their jobs. @returns how
 * many are still being imported
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
  /** null: its usage is not counted yet. */
  facts: number | null;
  historyBytes: number | null;
}

/** One page of the agents that are active, of all tenants, by tenant and id after `after`. */
export function agentsInUse(
  sql: SqlExecutor,
  after: { tenantId: string; agentId: string } | undefined,
  limit: number,
): Promise<AgentInUse[]> {
  const { tenantId, id, schemaName, settings, status } = agents;
  const behind = after === undefined ? undefined : raw`(${tenantId}, ${id}) > (${after.tenantId}, ${after.agentId})`;
  const db = controlDb(sql);
  // Paged before the join: with it Postgres sorts all agents for each page while its statistics are old.
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

/** Notes that an agent's schema has been migrated. */
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
 * Notes that an agent's schema could not be brought to a version, and why: an error code or SQLSTATE, never a message with
 * values. An agent that another process has migrated meanwhile has not failed.
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
 * Agents whose schema is older than `version`: those that never failed before those that did, else the few that cannot be
 * migrated would be the canaries of every try; then smallest memory first, which makes a cheap canary.
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

/** All agents of all tenants whose schema has been made, by its name after `after`. */
export function agentsWithSchema(sql: SqlExecutor, after: string, limit: number): Promise<AgentRow[]> {
  return controlDb(sql)
    .select()
    .from(agents)
    .where(and(gt(agents.schemaName, after), gt(agents.schemaVersion, 0)))
    .orderBy(asc(agents.schemaName))
    .limit(limit);
}

/** How many agents have each schema version. */
export function countByVersion(sql: SqlExecutor): Promise<{ schemaVersion: number; agents: number }[]> {
  return controlDb(sql)
    .select({ schemaVersion: agents.schemaVersion, agents: count() })
    .from(agents)
    .where(raw`${agents.status} IN ('active', 'disabled')`)
    .groupBy(agents.schemaVersion)
    .orderBy(asc(agents.schemaVersion));
}

/** Agents whose last attempt to migrate failed, longest ago first. */
export function agentsFailed(sql: SqlExecutor, limit: number): Promise<AgentRow[]> {
  return controlDb(sql)
    .select()
    .from(agents)
    .where(raw`${agents.migrationError} IS NOT NULL`)
    .orderBy(asc(agents.migrationFailedAt))
    .limit(limit);
}

/** Agents whose erasure was begun and not finished. */
export function agentsBeingErased(sql: SqlExecutor, limit: number): Promise<AgentRow[]> {
  return controlDb(sql).select().from(agents).where(eq(agents.status, "erasing")).limit(limit);
}

function isAgent(tenantId: string, agentId: string) {
  return and(eq(agents.tenantId, tenantId), eq(agents.id, agentId));
}
