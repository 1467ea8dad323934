import { AppError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { hasAgentSchema } from "../../db/agent/schema/restored-schema.ts";
import {
  type AgentRow,
  agentIdsInOrder,
  listAgents,
  lockAgent,
  lookUpAgent,
  updateAgent,
} from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { DEFAULT_TENANT_ID } from "../../db/control/tenants.ts";
import type { Usage } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { EMBED_JOB, REINDEX_JOB, SYNC_JOB } from "../../queue/job-contracts.ts";
import { agentNotFound, authoriseAgent, authoriseUnbound } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { describeSettings, type SettingShape } from "../../settings/describe-settings.ts";
import { type Limits, parseLimits } from "../../settings/limits.ts";
import { mergeSettingsPatch, presentSettings } from "../../settings/settings.ts";
import type { SettingsPatch } from "../../settings/settings-schema.ts";
import { createAgent } from "../agent/create-agent.ts";
import { isImplicit, profileOf, spaceOf } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { Deps } from "../deps.ts";
import { checkEmbedding } from "../embedding/embedder-for.ts";
import { auditedChange } from "./audited-change.ts";
import { checkOperatorKeys } from "./check-operator-keys.ts";
import { mergeLimits } from "./manage-tenants.ts";

interface AgentSummary {
  id: string;
  name: string;
  status: "active" | "disabled" | "creating" | "importing";
  /** The agent's own settings; the effective ones come from GET …/settings. */
  settings: JsonObject;
  limits: Limits;
  usage: Usage;
  schemaVersion: number;
  createdAt: string;
}

interface AgentChange {
  name?: string | undefined;
  disabled?: boolean | undefined;
  /** A JSON merge patch (RFC 7396). null resets a key to its default. */
  settings?: unknown;
  limits?: unknown;
}

const NOTHING: Usage = { files: 0, bytes: 0, chunks: 0, facts: 0, historyBytes: 0 };

/**
 * Creates an agent with its schema and role.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `invalid_settings`, `agent_exists`,
 *   `quota_exceeded`
 */
export async function makeAgent(
  deps: Deps,
  caller: Caller,
  wanted: { id: string; name?: string | undefined; settings?: unknown; limits?: unknown },
): Promise<AgentSummary> {
  authoriseUnbound(caller, "tenant");
  const id = checkAgentId(wanted.id);
  const settings = mergeSettingsPatch({}, wanted.settings ?? {}, "settings");
  checkOperatorKeys(deps, caller, {}, settings);
  const limits = parseLimits(wanted.limits ?? {}, "limits", "agent");
  const earlier = await findReplay(deps, caller);
  const lookup = await lookUpAgent(deps.db, caller.tenantId, id);
  if (!lookup) throw agentNotFound();
  if (lookup.agent && lookup.agent.status !== "creating") {
    if (earlier === undefined) throw taken(lookup.agent);
    return readAgent(deps, caller, id);
  }
  const profile = profileOf(deps, withSettings(lookup, settings), id);
  await checkEmbedding(deps, profile.settings);
  const reserved = (tx: SqlExecutor) => recordAnswer(deps, caller, tx, id, { id });
  const given = { name: wanted.name, settings: settings as Record<string, unknown>, limits, reserved };
  // `createAgent` finishes an interrupted creation, but with the settings of the first request. So
  // the id counts as taken.
  if (!(await createAgent(deps, caller, profile, given)) && earlier === undefined) throw taken(null);
  if (profile.settings.extraPaths.length > 0)
    await deps.queue.send(deps.db, SYNC_JOB, { tenantId: caller.tenantId, agentId: id });
  return readAgent(deps, caller, id);
}

function taken(row: AgentRow | null): AppError {
  if (row?.status === "erasing")
    return new AppError("agent_exists", "The agent that had this id is still being erased; try again in a moment.");
  return new AppError(
    "agent_exists",
    "The tenant already has an agent with this id. Choose another id, or change that agent.",
  );
}

/**
 * Returns the lookup with other settings of the agent, to check the effective settings as a whole.
 */
function withSettings<T extends { agent: AgentRow | null }>(lookup: T, settings: SettingsPatch): T {
  return { ...lookup, agent: { ...lookup.agent, settings } as AgentRow };
}

/**
 * Returns one page of a tenant's agents by id. Agents that the operator's files name are listed
 * before their first use, too.
 *
 * @throws AppError `forbidden`
 */
export async function listTenantAgents(
  deps: Deps,
  caller: Caller,
  page: { after: string; limit: number },
): Promise<AgentSummary[]> {
  authoriseUnbound(caller, "agent:read");
  const rows = await listAgents(deps.db, caller.tenantId, page);
  const made = rows.map(({ agent, usage }) => summary(deps, agent, usage ?? NOTHING));
  // The files know no other tenant.
  const configured = caller.tenantId === DEFAULT_TENANT_ID ? [...deps.defaults.agentIds] : [];
  if (configured.length === 0) return made;
  const all = new Map(configured.map((id) => [id, unused(deps, caller.tenantId, id)]));
  for (const agent of made) all.set(agent.id, agent);
  // The database's collation decides where a page ends, and it may put "a_b" before "a1".
  const ids = await agentIdsInOrder(deps.db, [...all.keys()], page.after);
  return ids.slice(0, page.limit).flatMap((id) => all.get(id) ?? []);
}

/** Returns an agent that exists without being created, because it is the default or in a file. */
function unused(deps: Deps, tenantId: string, id: string): AgentSummary {
  return {
    id,
    name: configuredName(deps, tenantId, id),
    status: "active",
    settings: {},
    limits: {},
    usage: NOTHING,
    schemaVersion: 0,
    createdAt: new Date(0).toISOString(),
  };
}

/** Returns the name that the operator's files give to an agent; "" if they give none. */
function configuredName({ defaults }: Deps, tenantId: string, id: string): string {
  return tenantId === DEFAULT_TENANT_ID ? (defaults.agentNames.get(id) ?? "") : "";
}

/** Returns one agent. @throws AppError `forbidden`, `agent_not_found` */
export async function readAgent(deps: Deps, caller: Caller, agentId: string): Promise<AgentSummary> {
  authoriseAgent(caller, "agent:read", agentId);
  checkAgentId(agentId);
  const [found] = await listAgents(deps.db, caller.tenantId, { after: "", limit: 1, id: agentId });
  if (found) return summary(deps, found.agent, found.usage ?? NOTHING);
  if (!isImplicit(deps, caller.tenantId, agentId)) throw agentNotFound();
  return unused(deps, caller.tenantId, agentId);
}

/**
 * Changes an agent's name, settings or limits, or disables or enables it. A disabled agent keeps
 * its memory, but its requests are refused.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `invalid_settings`
 */
export async function changeAgent(
  deps: Deps,
  caller: Caller,
  agentId: string,
  change: AgentChange,
): Promise<AgentSummary> {
  authoriseUnbound(caller, "tenant");
  checkAgentId(agentId);
  if ((await findReplay(deps, caller)) !== undefined) return readAgent(deps, caller, agentId);
  await createIfImplicit(deps, caller, agentId);
  await checkBefore(deps, caller, agentId, change);
  await deps.db.transaction(async (tx) => {
    const row = await lockAgent(tx, caller.tenantId, agentId);
    const lookup = await lookUpAgent(tx, caller.tenantId, agentId);
    // An agent that is being imported can be changed once the import has ended.
    if (!row || !lookup || row.status === "erasing" || row.status === "importing") throw agentNotFound();
    const settings =
      change.settings === undefined ? row.settings : mergeSettingsPatch(row.settings, change.settings, "settings");
    if (change.disabled === false) await requireSchema(tx, row);
    checkOperatorKeys(deps, caller, row.settings, settings);
    profileOf(deps, withSettings(lookup, settings), agentId);
    const next = {
      settings: settings as Record<string, unknown>,
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.limits === undefined ? {} : { limits: mergeLimits(row.limits, change.limits, "agent") }),
      ...(row.status === "creating" ? {} : statusOf(change)),
    };
    await updateAgent(tx, caller.tenantId, agentId, next);
    const action = actionOf(change);
    const audit = { at: deps.clock(), actor: caller.actor, action, target: agentId };
    await recordAnswer(deps, caller, tx, agentId, { id: agentId });
    const details = auditedChange(change, shown(row), shown({ ...row, ...next }));
    await insertAudit(tx, { tenantId: caller.tenantId, ...audit, details });
    // These jobs compare the index and the folders with the settings. They may find nothing to do.
    if (change.settings !== undefined && row.status !== "creating") {
      const anew = (settings as SettingsPatch).query?.language !== (row.settings as SettingsPatch).query?.language;
      await deps.queue.send(tx, REINDEX_JOB, { tenantId: caller.tenantId, agentId, anew });
      await deps.queue.send(tx, SYNC_JOB, { tenantId: caller.tenantId, agentId });
    }
    // Embeds the chunks that were pending when the agent was disabled.
    if (change.disabled === false) await deps.queue.send(tx, EMBED_JOB, { tenantId: caller.tenantId, agentId });
  });
  return readAgent(deps, caller, agentId);
}

function shown({ limits, status }: Pick<AgentRow, "limits" | "status">) {
  return { limits, disabled: status === "disabled" };
}

/** Refuses to enable an agent whose schema is missing: every request to it would fail. */
async function requireSchema(tx: SqlExecutor, row: AgentRow): Promise<void> {
  if (row.status !== "disabled" || (await hasAgentSchema(tx, spaceOf(row).schema))) return;
  throw new AppError(
    "agent_disabled",
    "The agent stays disabled, because its memory is not in the database. The operator restores it with recollect agents restore, or erases the agent.",
  );
}

/**
 * Makes the checks that may call a provider, and so must not run in the transaction. The
 * transaction makes the other checks.
 */
async function checkBefore(deps: Deps, caller: Caller, agentId: string, change: AgentChange): Promise<void> {
  if (change.settings === undefined) return;
  const lookup = await lookUpAgent(deps.db, caller.tenantId, agentId);
  if (!lookup?.agent || lookup.agent.status === "erasing") throw agentNotFound();
  const settings = mergeSettingsPatch(lookup.agent.settings, change.settings, "settings");
  checkOperatorKeys(deps, caller, lookup.agent.settings, settings);
  await checkEmbedding(deps, profileOf(deps, withSettings(lookup, settings), agentId).settings);
}

function statusOf({ disabled }: AgentChange): { status?: "active" | "disabled" } {
  return disabled === undefined ? {} : { status: disabled ? "disabled" : "active" };
}

function actionOf({ disabled }: AgentChange): string {
  return disabled === undefined ? "agent.update" : disabled ? "agent.disable" : "agent.enable";
}

/** Creates the row of an implicit agent at its first change. */
export async function createIfImplicit(deps: Deps, caller: Caller, agentId: string): Promise<void> {
  const lookup = await lookUpAgent(deps.db, caller.tenantId, agentId);
  const missing = lookup?.agent === null && isImplicit(deps, caller.tenantId, agentId);
  // Finish an interrupted creation first.
  if (lookup && (missing || lookup.agent?.status === "creating"))
    await createAgent(deps, caller, profileOf(deps, lookup, agentId), {});
}

/**
 * Returns the effective settings and the layer of each value (`default`, `user`, `workspace`,
 * `tenant`, `agent`), by dotted path. Secrets are hidden.
 *
 * @throws AppError `forbidden`, `agent_not_found`
 */
export async function readSettings(
  deps: Deps,
  caller: Caller,
  agentId: string,
): Promise<{
  settings: JsonObject;
  origins: Record<string, string>;
  own: JsonObject;
  descriptions: Readonly<Record<string, string>>;
  shapes: Readonly<Record<string, SettingShape>>;
}> {
  authoriseAgent(caller, "agent:read", agentId);
  checkAgentId(agentId);
  const lookup = await lookUpAgent(deps.db, caller.tenantId, agentId);
  const row = lookup?.agent && lookup.agent.status !== "erasing" ? lookup.agent : undefined;
  if (!lookup || (!row && !isImplicit(deps, caller.tenantId, agentId))) throw agentNotFound();
  const { settings, origins } = profileOf(deps, lookup, agentId);
  const own = presentSettings(row?.settings ?? {});
  return { settings: presentSettings(settings), origins, own, ...describeSettings() };
}

function summary(deps: Deps, row: AgentRow, usage: Usage): AgentSummary {
  const { files, bytes, chunks, facts, historyBytes } = usage;
  return {
    id: row.id,
    name: row.name === "" ? configuredName(deps, row.tenantId, row.id) : row.name,
    status: row.status === "erasing" ? "disabled" : row.status,
    settings: presentSettings(row.settings),
    limits: row.limits,
    usage: { files, bytes, chunks, facts, historyBytes },
    schemaVersion: row.schemaVersion,
    createdAt: row.createdAt.toISOString(),
  };
}
