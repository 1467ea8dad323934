import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../db/agent/schema/schema-name.ts";
import type { AgentLookup, AgentRow } from "../../db/control/agents.ts";
import { DEFAULT_TENANT_ID } from "../../db/control/tenants.ts";
import type { Limits } from "../../settings/limits.ts";
import { layersOf } from "../../settings/service-defaults.ts";
import { type ResolvedSettings, resolveSettings, type SettingsLayer } from "../../settings/settings.ts";
import { DEFAULT_SETTINGS, type MemorySettings } from "../../settings/settings-schema.ts";
import { withAllowedModels } from "./allowed-models.ts";
import type { CoreDeps } from "./core-deps.ts";

/** An agent's configuration, whether or not the agent has been written to. */
export interface AgentProfile {
  readonly tenantId: string;
  readonly agentId: string;
  readonly settings: MemorySettings;
  /** The origin of each value of the settings, by dotted path. */
  readonly origins: ResolvedSettings["origins"];
  readonly limits: { readonly agent: Limits; readonly tenant: Limits };
}

/** Returns the settings without the values that belong to one remote provider. */
export function withoutRemote<T extends Pick<MemorySettings, "remote">>(settings: T): T {
  return { ...settings, remote: { ...settings.remote, baseUrl: undefined, apiKey: undefined, headers: undefined } };
}

/** Returns the settings without address, key and headers that neither the tenant nor the agent has set. */
function withOwnRemote(settings: MemorySettings, origins: ResolvedSettings["origins"]): MemorySettings {
  const { baseUrl, apiKey, headers } = settings.remote;
  const own = <T>(name: string, value: T) =>
    /^(?:tenant|agent)$/.test(origins[`remote.${name}`] ?? "") ? value : undefined;
  const remote = { baseUrl: own("baseUrl", baseUrl), apiKey: own("apiKey", apiKey), headers: own("headers", headers) };
  return { ...settings, remote: { ...settings.remote, ...remote } };
}

/**
 * Returns a layer of the operator's files without address, key and headers if they are for another
 * provider than the chosen one. A stronger layer has chosen that provider.
 */
function withoutOthersRemote(layer: SettingsLayer, chosen: string | undefined): SettingsLayer {
  const { provider, remote } = layer.settings;
  if (layer.origin === "tenant" || layer.origin === "agent") return layer;
  if (provider === undefined || provider === "auto" || provider === chosen || remote === undefined) return layer;
  const { baseUrl: _baseUrl, apiKey: _apiKey, headers: _headers, ...rest } = remote;
  return { ...layer, settings: { ...layer.settings, remote: rest } };
}

/** The parts of an agent and its tenant that make up the agent's profile. */
interface Configured {
  tenant: AgentLookup["tenant"];
  agent: Pick<AgentRow, "status" | "settings" | "limits"> | null;
}

/** Resolves the agent's settings and limits from all layers. */
export function profileOf(deps: CoreDeps, lookup: Configured, agentId: string): AgentProfile {
  const { tenant, agent } = lookup;
  const own = agent?.status === "erasing" ? null : agent;
  const known = tenant.id === DEFAULT_TENANT_ID ? agentId : undefined;
  const stored = { tenantSettings: tenant.settings, agentSettings: own?.settings ?? {} };
  const { layers, layersOfAgent } = deps.defaults;
  const operators = known === undefined ? layers : [...layers, ...layersOfAgent(known)];
  // The operator's address, key and headers must reach only the provider that the operator chose.
  const chosen = operators.findLast((layer) => layer.settings.provider !== undefined)?.settings.provider;
  const all = layersOf(deps.defaults, { agentId: known, ...stored });
  const resolved = resolveSettings(all.map((layer) => withoutOthersRemote(layer, chosen)));
  const { origins } = resolved;
  const allowed = withAllowedModels(deps, resolved.settings, operators);
  const isOperators = (chosen ?? DEFAULT_SETTINGS.provider) === allowed.provider;
  const settings = isOperators ? allowed : withOwnRemote(allowed, origins);
  const limits = {
    agent: { ...deps.defaults.limits.agent, ...own?.limits },
    tenant: { ...deps.defaults.limits.tenant, ...tenant.limits },
  };
  return { tenantId: tenant.id, agentId, settings, origins, limits };
}

/**
 * Returns whether an agent exists without being created: it is the default agent, or the operator's
 * files name it.
 */
export function isImplicit(deps: CoreDeps, tenantId: string, agentId: string): boolean {
  const { defaultAgentId, agentIds } = deps.defaults;
  return agentId === defaultAgentId || (tenantId === DEFAULT_TENANT_ID && agentIds.has(agentId));
}

export function spaceOf(row: Pick<AgentRow, "schemaName" | "roleName">): AgentSpace {
  return { schema: schemaName(row.schemaName), role: roleName(row.roleName) };
}
