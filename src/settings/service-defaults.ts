import { withoutRemovedSettings } from "../base/removed-keys.ts";
import { DEFAULT_AGENT_ID } from "./agent-id.ts";
import type { Binding } from "./bindings.ts";
import type { ConfigFile, ConfigFileAgent } from "./config-file.ts";
import type { Prices } from "./embedding-prices.ts";
import type { Ignored } from "./ignored.ts";
import type { Limits } from "./limits.ts";
import type { SettingsLayer } from "./settings.ts";
import type { SettingsPatch } from "./settings-schema.ts";

/** The combined contents of the operator's configuration files. */
export interface ServiceDefaults {
  readonly defaultAgentId: string;
  /** Agents that exist without being created, besides the default agent. */
  readonly agentIds: ReadonlySet<string>;
  /** The names that the files give to agents, by id; the strongest file's counts. */
  readonly agentNames: ReadonlyMap<string, string>;
  readonly bindings: readonly Binding[];
  readonly limits: { readonly agent: Limits; readonly tenant: Limits };
  readonly prices: Prices;
  /**
   * Folders of the server that `extraPaths` may name, from the strongest file that lists them; with
   * an empty list `extraPaths` is off.
   */
  readonly extraPathRoots: readonly string[];
  /**
   * Names of the models that tenants and agents may choose besides the operator's own; undefined:
   * any model.
   */
  readonly allowedModels: readonly string[] | undefined;
  /** The parts of the files that have no effect. */
  readonly ignored: readonly (Ignored & { readonly file: string })[];
  /**
   * The settings for all agents of all tenants: the layers below a tenant's settings, weakest file
   * first.
   */
  readonly layers: readonly SettingsLayer[];
  /**
   * Returns the files' settings for one agent of the default tenant: the layers between the
   * tenant's settings and the agent's own, weakest file first.
   */
  layersOfAgent(agentId: string): readonly SettingsLayer[];
}

/**
 * Returns all layers of an agent's settings, weakest first. Settings for one agent are stronger
 * than settings for all agents, whatever file or tenant they come from. Stored layers lose settings
 * that were removed since they were stored.
 *
 * @param of.agentId undefined for an agent of a tenant that the files do not know: any tenant but
 *   the default one
 */
export function layersOf(
  defaults: Pick<ServiceDefaults, "layers" | "layersOfAgent">,
  of: { agentId: string | undefined; tenantSettings: SettingsPatch; agentSettings: SettingsPatch },
): SettingsLayer[] {
  return [
    ...defaults.layers,
    { origin: "tenant", settings: withoutRemovedSettings(of.tenantSettings) },
    ...(of.agentId === undefined ? [] : defaults.layersOfAgent(of.agentId)),
    { origin: "agent", settings: withoutRemovedSettings(of.agentSettings) },
  ];
}

/**
 * Combines the files. Their defaults and limits hold for every tenant. The agents and bindings that
 * they name belong to the default tenant, because a file knows no other tenant: for an agent of
 * another tenant pass no agent id to `layersOf`.
 */
export function serviceDefaults(
  files: readonly { origin: string; path?: string; file: ConfigFile }[],
  allowedModels?: readonly string[],
): ServiceDefaults {
  const entries = files.flatMap(({ file }) => file.agents);
  return {
    defaultAgentId: defaultAgent(entries),
    agentIds: new Set(entries.map((entry) => entry.id)),
    agentNames: new Map(entries.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const]))),
    // The stronger file's rules come first, because among equal rules the first one wins.
    bindings: files.toReversed().flatMap(({ file }) => file.bindings),
    limits: {
      agent: Object.assign({}, ...files.map(({ file }) => file.limits.agent ?? {})),
      tenant: Object.assign({}, ...files.map(({ file }) => file.limits.tenant ?? {})),
    },
    prices: mergePrices(files.map(({ file }) => file.prices ?? {})),
    extraPathRoots: files.findLast(({ file }) => file.extraPathRoots)?.file.extraPathRoots ?? [],
    allowedModels,
    ignored: files.flatMap(({ origin, path = origin, file }) => file.ignored.map((one) => ({ ...one, file: path }))),
    layers: files.map(({ origin, file }) => ({ origin, settings: file.defaults })),
    layersOfAgent: (agentId) =>
      files.flatMap(({ origin, file }) =>
        file.agents.filter((entry) => entry.id === agentId).map(({ settings }) => ({ origin, settings })),
      ),
  };
}

/**
 * Merges prices. A stronger file's price of a model replaces a weaker file's; the other models keep
 * their prices.
 */
function mergePrices(all: readonly Prices[]): Prices {
  const providers = new Set(all.flatMap((prices) => Object.keys(prices)));
  return Object.fromEntries(
    [...providers].map((provider) => [provider, Object.assign({}, ...all.map((prices) => prices[provider] ?? {}))]),
  );
}

/**
 * Returns the default agent: the agent that is marked, in the strongest file that marks one; else
 * `main` if the files name it or name no agent; else the first agent.
 */
function defaultAgent(entries: readonly ConfigFileAgent[]): string {
  const marked = entries.findLast((entry) => entry.isDefault);
  if (marked) return marked.id;
  const [first] = entries;
  return first === undefined || entries.some((entry) => entry.id === DEFAULT_AGENT_ID) ? DEFAULT_AGENT_ID : first.id;
}
