import { AppError } from "../../base/errors.ts";
import { countOf } from "../../base/text/count-of.ts";
import { createAgentRole, createAgentSchema, lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../../db/agent/schema/generation-tables.ts";
import { activeGeneration, type Generation, insertGeneration, serves } from "../../db/agent/schema/generations.ts";
import { type AgentRow, countAgents, findAgent, insertAgent, lockAgent, updateAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { insertSpareSpaces } from "../../db/control/spare-spaces.ts";
import { lockTenantForAgents } from "../../db/control/tenants.ts";
import { insertUsage, lockTenantUsage } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { newestVersion } from "../../db/migrate/agent.ts";
import { agentNotFound, authoriseAgent, type Caller, holds } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { type AgentProfile, isImplicit, spaceOf } from "../core/agent-profile.ts";
import type { CoreDeps } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { targetOrKeywordGeneration } from "../embedding/embedder-for.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import { lookUpUsable } from "./find-agent.ts";
import { takeSpace } from "./spare-spaces.ts";

/** The properties of a new agent. */
interface NewAgent {
  name?: string | undefined;
  settings?: Record<string, unknown> | undefined;
  limits?: Record<string, number> | undefined;
  /** The status after creation. An `importing` agent stays hidden until the import ends. */
  status?: "active" | "importing" | undefined;
  /**
   * The model of vectors that an import brings along. The first index uses this model if the
   * agent's settings could keep such an index in use.
   */
  vectorsOf?: Pick<Generation, "provider" | "model"> | undefined;
  /** Runs further writes in the transaction that reserves the agent. */
  reserved?: ((tx: SqlExecutor, schemaName: string) => Promise<void>) | undefined;
}

/**
 * Finds the agent of a write. An implicit agent gets its schema now. Any other missing agent is
 * created if the caller may create agents, else it is not found.
 *
 * @throws as `findAgent`, and `quota_exceeded`
 */
export async function findOrCreateAgent(deps: EmbeddingDeps, caller: Caller, agentId: string): Promise<KnownAgent> {
  authoriseAgent(caller, "agent:write", agentId);
  checkAgentId(agentId);
  const { found, row } = await lookUpUsable(deps, caller, agentId);
  if (found.agent) return found.agent;
  const mayCreate = row !== undefined || isImplicit(deps, caller.tenantId, agentId) || holds(caller, "tenant");
  if (!mayCreate) throw agentNotFound();
  await createAgent(deps, caller, found.profile, {});
  const created = await lookUpUsable(deps, caller, agentId);
  if (!created.found.agent) throw agentNotFound();
  return created.found.agent;
}

/**
 * Creates an agent's role, schema and first generation. Many processes may call it at once; one of
 * them creates the agent. It resumes a creation that a crash interrupted.
 *
 * @returns whether this call reserved the agent; false when it existed or was being created
 * @throws AppError `quota_exceeded`
 */
export async function createAgent(
  deps: EmbeddingDeps,
  caller: Caller,
  profile: AgentProfile,
  given: NewAgent,
): Promise<boolean> {
  const { tenantId, agentId } = profile;
  const reserved = await reserveAgent(deps, caller, profile, given);
  const row = await findAgent(deps.db, tenantId, agentId);
  // Only the import itself may build an agent that it has reserved.
  if (row?.status === "creating" || (reserved && row?.status === "importing"))
    await build(deps, profile, row, given.vectorsOf);
  return reserved;
}

/**
 * Reserves the agent in the control schema: its name, its settings and one unit of the tenant's
 * quota.
 */
export async function reserveAgent(
  deps: CoreDeps,
  caller: Caller,
  profile: AgentProfile,
  given: NewAgent,
): Promise<boolean> {
  const { tenantId, agentId } = profile;
  const now = deps.clock();
  return deps.db.transaction(async (tx) => {
    // Locks the tenant, as its removal does, so that the two exclude each other.
    if (!(await lockTenantForAgents(tx, tenantId))) throw agentNotFound();
    const most = profile.limits.tenant.agents;
    if (most !== undefined) await lockTenantUsage(tx, tenantId);
    const { schemaName, schemaVersion } = await takeSpace(deps, tx);
    const reserved = await insertAgent(tx, {
      tenantId,
      id: agentId,
      name: given.name ?? "",
      settings: given.settings ?? {},
      limits: given.limits ?? {},
      schemaName,
      roleName: schemaName,
      schemaVersion,
      status: given.status === "importing" ? "importing" : "creating",
      createdAt: now,
    });
    if (!reserved) {
      // Another process has created the agent meanwhile. Return the spare schema, or nothing would
      // refer to it any more.
      if (schemaVersion > 0) await insertSpareSpaces(tx, [{ schemaName, schemaVersion }]);
      return false;
    }
    if (most !== undefined && (await countAgents(tx, tenantId)) > most) {
      throw new AppError(
        "quota_exceeded",
        `The tenant may have at most ${countOf(most, "agent")}; erase one or raise the limit.`,
        {
          details: { limit: "tenant.agents", most },
        },
      );
    }
    const audit = { tenantId, at: now, actor: caller.actor, action: "agent.create", target: agentId };
    await insertAudit(tx, { ...audit, details: given.limits ? { limits: given.limits } : {} });
    await given.reserved?.(tx, schemaName);
    return true;
  });
}

async function build(
  deps: EmbeddingDeps,
  profile: AgentProfile,
  row: AgentRow,
  vectorsOf?: NewAgent["vectorsOf"],
): Promise<void> {
  const { tenantId, agentId } = profile;
  const space = spaceOf(row);
  // Outside the transaction: the dimensions of an unknown model must be asked from its provider.
  const usual = await targetOrKeywordGeneration(deps, profile);
  const theirs = vectorsOf && { ...usual, provider: vectorsOf.provider, model: vectorsOf.model };
  const wanted = theirs && serves(theirs, usual) ? theirs : usual;
  await deps.db.transaction(async (tx) => {
    await lockAgentSchema(tx, space);
    // The lock makes an erasure wait until the agent is complete.
    const current = await lockAgent(tx, tenantId, agentId);
    // Another process has completed or erased the agent.
    if (current?.status !== row.status || current.schemaName !== row.schemaName) return;
    // A spare schema has its role already. Skip the GRANT: even a GRANT without effect makes
    // Postgres read all memberships of the login again.
    if (row.schemaVersion === 0) await createAgentRole(tx, space);
    await createAgentSchema(tx, space, deps.migrations, row.schemaVersion);
    if (!(await activeGeneration(tx, space.schema))) {
      const generation = await insertGeneration(tx, space.schema, wanted, {
        status: "active",
        now: deps.clock(),
        kind: deps.db.kind,
      });
      await createGenerationTables(tx, space.schema, space.role, generation);
    }
    await insertUsage(tx, tenantId, agentId, { files: 0, bytes: 0, chunks: 0, facts: 0 });
    await updateAgent(tx, tenantId, agentId, {
      status: row.status === "importing" ? "importing" : "active",
      ...newestVersion(deps.migrations),
    });
  });
}
