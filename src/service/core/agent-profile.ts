import type { Limits } from "../../agents/limits.ts";
import { type ResolvedSettings, resolveSettings } from "../../agents/settings.ts";
import { DEFAULT_SETTINGS, type MemorySettings } from "../../agents/settings-schema.ts";
import type { AgentSpace } from "../../db/agent/space/agent-transaction.ts";
import { roleName, schemaName } from "../../db/agent/space/schema-name.ts";
import type { AgentLookup, AgentRow } from "../../db/control/agents.ts";
import { DEFAULT_TENANT_ID } from "../../db/control/tenants.ts";
import type { CoreDeps } from "./core-deps.ts";

/** An agent's configuration, whether or not the agent has been written to. */
export interface AgentProfile {
  readonly tenantId: string;
  readonly agentId: string;
  readonly settings: MemorySettings;
  /** Where each value of the settings comes from, by dotted path. */
  readonly origins: ResolvedSettings["origins"];
  readonly limits: { readonly agent: Limits; readonly tenant: Limits };
}

/** Settings without what belongs to one remote provider. */
export function withoutRemote<T extends Pick<MemorySettings, "remote">>(settings: T): T {
  return { ...settings, remote: { ...settings.remote, baseUrl: undefined, apiKey: undefined, headers: undefined } };
}

/** The agent's settings and limits out of all layers. */
export function profileOf(deps: CoreDeps, lookup: AgentLookup, agentId: string): AgentProfile {
  const { tenant, agent } = lookup;
  const own = agent?.status === "erasing" ? null : agent;
  const operators = deps.defaults.layers(tenant.id === DEFAULT_TENANT_ID ? agentId : undefined);
  const resolved = resolveSettings([
    ...operators,
    { origin: "tenant", settings: tenant.settings },
    { origin: "agent", settings: own?.settings ?? {} },
  ]);
  const { origins } = resolved;
  // The operator's address, key and headers must reach no provider but the one that the operator chose.
  const chosen = operators.findLast((layer) => layer.settings.provider !== undefined)?.settings.provider;
  const isOperators = (chosen ?? DEFAULT_SETTINGS.provider) === resolved.settings.provider;
  const settings = isOperators ? resolved.settings : withoutRemote(resolved.settings);
  const limits = {
    agent: { ...deps.defaults.limits.agent, ...own?.limits },
    tenant: { ...deps.defaults.limits.tenant, ...tenant.limits },
  };
  return { tenantId: tenant.id, agentId, settings, origins, limits };
}

/** Whether an agent exists without being created: the default agent, or one that the operator's files name. */
export function isImplicit(deps: CoreDeps, tenantId: string, agentId: string): boolean {
  const { defaultAgentId, agentIds } = deps.defaults;
  return agentId === defaultAgentId || (tenantId === DEFAULT_TENANT_ID && agentIds.has(agentId));
}

export function spaceOf(row: Pick<AgentRow, "schemaName" | "roleName">): AgentSpace {
  return { schema: schemaName(row.schemaName), role: roleName(row.roleName) };
}
