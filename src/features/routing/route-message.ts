import { AppError } from "../../base/errors.ts";
import { lookUpAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { listBindings, replaceBindings } from "../../db/control/bindings.ts";
import { DEFAULT_TENANT_ID } from "../../db/control/tenants.ts";
import { isImplicit } from "../../service/core/agent-profile.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { Deps } from "../../service/deps.ts";
import { authoriseUnbound } from "../../settings/access.ts";
import { type Binding, parseBindings } from "../../settings/bindings.ts";
import { type Message, resolveBinding, sessionKey } from "./resolve-binding.ts";

/** The route of a message. */
interface Route {
  agentId: string;
  matchedBy: "peer" | "account" | "channel" | "default";
  sessionKey: string;
}

/**
 * Returns the agent for a message. Rules match in this order: exact peer, account, channel, default
 * agent. A tenant's own bindings come before those in the operator's files, which apply to the
 * default tenant.
 *
 * @throws AppError `forbidden`
 */
export async function routeMessage(deps: Deps, caller: Caller, message: Message): Promise<Route> {
  authoriseUnbound(caller, "agent:read");
  const rules = [...(await ownBindings(deps, caller)), ...fileBindings(deps, caller)];
  const { agentId, matchedBy } = resolveBinding(rules, message, deps.defaults.defaultAgentId);
  return { agentId, matchedBy, sessionKey: sessionKey(agentId, message) };
}

/**
 * Returns a tenant's bindings, and the bindings of the operator's files that follow them.
 *
 * @throws AppError `forbidden`
 */
export async function readBindings(
  deps: Deps,
  caller: Caller,
): Promise<{ bindings: Binding[]; inherited: readonly Binding[] }> {
  authoriseUnbound(caller, "agent:read");
  return { bindings: await ownBindings(deps, caller), inherited: fileBindings(deps, caller) };
}

/**
 * Replaces the tenant's bindings. Each must lead to an agent that exists.
 *
 * @throws AppError `forbidden`, `invalid_settings`, `agent_not_found`
 */
export async function setBindings(deps: Deps, caller: Caller, value: unknown): Promise<Binding[]> {
  authoriseUnbound(caller, "tenant");
  const bindings = parseBindings(value, "bindings");
  for (const agentId of new Set(bindings.map((binding) => binding.agentId))) await requireAgent(deps, caller, agentId);
  await deps.db.transaction(async (tx) => {
    // A binding without a match is stored as an empty match: the column is older than default
    // routes and takes no NULL.
    const rows = bindings.map(({ agentId, match }) => ({ agentId, match: { ...match } }));
    await replaceBindings(tx, caller.tenantId, rows);
    const details = { count: bindings.length, agents: [...new Set(bindings.map(({ agentId }) => agentId))] };
    const audit = { at: deps.clock(), actor: caller.actor, action: "bindings.replace", target: caller.tenantId };
    await insertAudit(tx, { tenantId: caller.tenantId, ...audit, details });
  });
  return [...bindings];
}

async function requireAgent(deps: Deps, caller: Caller, agentId: string): Promise<void> {
  if (isImplicit(deps, caller.tenantId, agentId)) return;
  const lookup = await lookUpAgent(deps.db, caller.tenantId, agentId);
  if (lookup?.agent && lookup.agent.status !== "erasing") return;
  throw new AppError("agent_not_found", `A binding names the agent '${agentId}', which the tenant does not have.`);
}

async function ownBindings(deps: Deps, caller: Caller): Promise<Binding[]> {
  const rows = await listBindings(deps.db, caller.tenantId);
  return rows.map(({ agentId, match }) => (Object.keys(match).length === 0 ? { agentId } : { agentId, match }));
}

function fileBindings(deps: Deps, caller: Caller): readonly Binding[] {
  return caller.tenantId === DEFAULT_TENANT_ID ? deps.defaults.bindings : [];
}
