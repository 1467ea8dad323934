import { AppError } from "../../base/errors.ts";
import { updateContext } from "../../base/request-context.ts";
import { type AgentRow, lookUpAgent } from "../../db/control/agents.ts";
import { newestVersion } from "../../db/migrate/agent.ts";
import { agentNotFound, authoriseAgent, type Caller, type Scope } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { type AgentProfile, isImplicit, profileOf, spaceOf } from "../core/agent-profile.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";
import { migrateOnTouch } from "./migrate-agent.ts";

export interface FoundAgent {
  readonly profile: AgentProfile;
  /**
   * The time when the last sync of the agent's folders and conversations ended; null before the
   * first.
   */
  readonly syncedAt: Date | null;
  /**
   * Undefined when the agent is implicit (the default agent, or one named in a settings file) and
   * has not been written to yet.
   */
  readonly agent: KnownAgent | undefined;
}

/**
 * Authorises the caller and finds an agent, in one statement. Migrates the agent's schema first if
 * it is older.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`,
 *   `schema_too_new`, `agent_migration_failed`
 */
export async function findAgent(
  deps: EmbeddingDeps,
  caller: Caller,
  scope: Scope,
  agentId: string,
): Promise<FoundAgent> {
  const found = await findMemory(deps, caller, scope, agentId);
  // An agent that is still being created does not exist yet.
  if (found.agent === undefined && !isImplicit(deps, caller.tenantId, agentId)) throw agentNotFound();
  return found;
}

/**
 * Authorises the caller and finds the memory of an agent, for reads that models and their hosts make.
 * Hosts read before their first write creates the agent, so a missing agent has an empty memory. A
 * key of another agent is refused.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found` for a key of another agent,
 *   `agent_disabled`, `schema_too_new`, `agent_migration_failed`
 */
export async function findMemory(
  deps: EmbeddingDeps,
  caller: Caller,
  scope: Scope,
  agentId: string,
): Promise<FoundAgent> {
  authoriseAgent(caller, scope, agentId);
  checkAgentId(agentId);
  return (await lookUpUsable(deps, caller, agentId)).found;
}

/** Returns the agent if it has been written to, else undefined. @throws as `findMemory` */
export async function findKnownMemory(
  deps: EmbeddingDeps,
  caller: Caller,
  scope: Scope,
  agentId: string,
): Promise<KnownAgent | undefined> {
  return (await findMemory(deps, caller, scope, agentId)).agent;
}

/** Returns the agent if it has been written to, else undefined. @throws as `findAgent` */
export async function findKnownAgent(
  deps: EmbeddingDeps,
  caller: Caller,
  scope: Scope,
  agentId: string,
): Promise<KnownAgent | undefined> {
  return (await findAgent(deps, caller, scope, agentId)).agent;
}

/**
 * Looks up the agent of an authorised caller, and migrates its schema if that is older. `row` is
 * undefined when the agent does not exist or is being erased.
 *
 * @throws AppError `agent_not_found`, `agent_disabled`, `schema_too_new`, `agent_migration_failed`
 */
export async function lookUpUsable(
  deps: EmbeddingDeps,
  caller: Caller,
  agentId: string,
): Promise<{ found: FoundAgent; row: AgentRow | undefined }> {
  const lookup = await deps.coalesced.agents(`${caller.tenantId} ${agentId}`, agentId, () =>
    lookUpAgent(deps.db, caller.tenantId, agentId),
  );
  if (!lookup) throw agentNotFound();
  updateContext({ tenantId: caller.tenantId, ...(lookup.agent ? { agentId } : {}) });
  const profile = profileOf(deps, lookup, agentId);
  const row = lookup.agent?.status === "erasing" ? undefined : (lookup.agent ?? undefined);
  if (row === undefined || row.status === "creating" || row.status === "importing")
    return { found: { profile, syncedAt: null, agent: undefined }, row };
  if (row.status === "disabled")
    throw new AppError("agent_disabled", "This agent is disabled; an administrator of the tenant can enable it.");
  await ensureVersion(deps, row);
  const counted = { usageKnown: lookup.usageFiles !== null, facts: lookup.usageFacts ?? 0 };
  const reads = (lookup.reads ?? []).map((read) => ({ row: read, tenant: lookup.tenant }));
  return { found: { profile, syncedAt: row.syncedAt, agent: { ...profile, ...spaceOf(row), ...counted, reads } }, row };
}

/**
 * Migrates an agent's schema if it is older than this binary's version.
 *
 * @throws AppError `schema_too_new`, `agent_migration_failed`
 */
export async function ensureVersion(deps: EmbeddingDeps, row: AgentRow): Promise<void> {
  const { schemaVersion } = newestVersion(deps.migrations);
  if (row.breakingVersion > schemaVersion) {
    throw new AppError(
      "schema_too_new",
      "This agent's memory was migrated by a newer Recollect; use that version or a newer one.",
    );
  }
  if (row.schemaVersion < schemaVersion) await migrateOnTouch(deps, row);
}
