import { isObject } from "../base/objects.ts";
import { checkAgentId } from "./agent-id.ts";
import { type Binding, parseBinding } from "./bindings.ts";
import { type Prices, parsePrices } from "./embedding-prices.ts";
import { parseExtraPathRoots } from "./extra-paths.ts";
import { type Ignored, NOT_ABOUT_MEMORY } from "./ignored.ts";
import { type Limits, parseLimits } from "./limits.ts";
import { addMemory, addPlugin, MEMORY_KEYS, TOP_KEYS, translateSearch } from "./openclaw-settings.ts";
import { invalidSettings, join } from "./parse-strictly.ts";
import { parseSettings } from "./settings.ts";
import { type SettingsPatch, settingsSchema } from "./settings-schema.ts";

export interface ConfigFileAgent {
  readonly id: string;
  readonly name: string | undefined;
  readonly isDefault: boolean;
  readonly settings: SettingsPatch;
}

/** The contents of an operator's file. */
export interface ConfigFile {
  readonly defaults: SettingsPatch;
  readonly agents: readonly ConfigFileAgent[];
  readonly bindings: readonly Binding[];
  readonly limits: { readonly agent: Limits; readonly tenant: Limits };
  /** Prices of models, besides the known prices. */
  readonly prices?: Prices | undefined;
  /**
   * Folders of the server that settings may name in `extraPaths`; undefined: the file does not say.
   */
  readonly extraPathRoots: readonly string[] | undefined;
  /** The parts of the file that have no effect, for a warning. */
  readonly ignored: readonly Ignored[];
}

type Raw = Record<string, unknown>;

/** The reasons for ignored keys for which `NOT_ABOUT_MEMORY` would be untrue. */
const REASONS: Readonly<Record<string, string>> = {
  workspace: "files come with recollect sync or recollect watch",
  isolation: "each user's facts have a scope; agents are isolated by the database",
};

/**
 * Reads a file in either form: `agents.defaults.memorySearch` with `agents.list[]`, as in an
 * OpenClaw configuration, or `memory.search` with `agents.entries.<id>.memory.search`. Settings
 * that an OpenClaw file has under other names are translated (`openclaw-settings.ts`). The rest of
 * such a file is left out and named in `ignored`. A key that looks like a misspelt key of ours is
 * an error.
 *
 * @param value the parsed file; null when it is empty
 * @throws AppError `invalid_settings`, naming the path of each bad key
 */
export function parseConfigFile(value: unknown): ConfigFile {
  const ignored: Ignored[] = [];
  const ours = ["agents", "memory", "bindings", "limits", "prices", "extraPathRoots", ...TOP_KEYS];
  const top = section(value ?? {}, "", ours, ignored, { passing: ["plugins"] });
  const agents = agentsOf(top, ignored);
  const defaults = section(agents.defaults, "agents.defaults", ["memorySearch"], ignored);
  const limits = section(top.limits, "limits", ["agent", "tenant"], ignored, { strict: true });
  return {
    defaults: settingsOf(
      { older: [defaults.memorySearch, "agents.defaults.memorySearch"], memory: [top.memory, "memory"] },
      ignored,
      [[top, ""], ...memoryPlugins(top.plugins, ignored)],
    ),
    agents: parseAgents(agents, ignored),
    bindings: parseRules(top.bindings, ignored),
    limits: {
      agent: parseLimits(limits.agent ?? {}, "limits.agent", "agent"),
      tenant: parseLimits(limits.tenant ?? {}, "limits.tenant", "tenant"),
    },
    prices: top.prices === undefined ? undefined : parsePrices(top.prices, "prices"),
    extraPathRoots: top.extraPathRoots === undefined ? undefined : parseRoots(top.extraPathRoots),
    ignored,
  };
}

/**
 * Returns the section `agents`. Agents that stand in it directly by their ids
 * (`agents.<id>.memorySearch`) are in `named`.
 */
function agentsOf({ agents: given }: Raw, ignored: Ignored[]): Raw {
  const ours = ["defaults", "list", "entries"];
  const named = isObject(given)
    ? Object.entries(given).filter(([key, value]) => !ours.includes(key) && isAgent(value))
    : [];
  const agents = section(given, "agents", ours, ignored, { passing: named.map(([id]) => id) });
  return { ...agents, named };
}

function isAgent(value: unknown): boolean {
  return isObject(value) && (isObject(value.memorySearch) || isObject(value.memory));
}

/**
 * Returns the configurations of plugins that are about memory, because some of their settings are
 * settings here. Notes the rest as ignored.
 */
function memoryPlugins(plugins: unknown, ignored: Ignored[]): [Raw, string][] {
  const { entries = {}, ...others } = isObject(plugins) ? plugins : {};
  const leave = (at: string, why = NOT_ABOUT_MEMORY) => void ignored.push({ at, why });
  for (const key of Object.keys(others)) leave(`plugins.${key}`);
  return Object.entries(isObject(entries) ? entries : {}).flatMap(([name, entry]): [Raw, string][] => {
    const at = `plugins.entries.${name}`;
    if (!/memory/i.test(name) || !isObject(entry) || !isObject(entry.config)) {
      leave(at);
      return [];
    }
    const { config, ...rest } = entry;
    for (const key of Object.keys(rest)) leave(`${at}.${key}`, PLUGIN);
    const foreign = Object.keys(config).filter((key) => !(TOP_KEYS as readonly string[]).includes(key));
    for (const key of foreign) leave(`${at}.config.${key}`, PLUGIN);
    return [[config, `${at}.config`]];
  });
}

const PLUGIN = "belongs to a plugin, which Recollect does not run";

function parseRoots(value: unknown): string[] {
  const roots = list(value, "extraPathRoots");
  const bad = roots.findIndex((root) => typeof root !== "string");
  if (bad >= 0) throw invalidSettings([`extraPathRoots[${bad}]: must be a text`]);
  return parseExtraPathRoots(roots as string[], "extraPathRoots");
}

/**
 * Checks and returns one object of the file. Keys that are not ours are ignored, or refused if
 * `strict` is set.
 *
 * @param how.passing foreign keys that are read elsewhere
 */
function section(
  value: unknown,
  path: string,
  ours: readonly string[],
  ignored: Ignored[],
  how: { strict?: boolean; passing?: readonly string[] } = {},
): Raw {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidSettings([`${path || "the file"}: must be an object`]);
  for (const key of Object.keys(value)) {
    if (ours.includes(key)) continue;
    if (how.strict || !isForeign(key, ours)) throw invalidSettings([`${join(path, [key])}: unknown key`]);
    if (how.passing?.includes(key)) continue;
    ignored.push({ at: join(path, [key]), why: reasonOf(key, path) });
  }
  return value;
}

/** The sections in which a setting of memory stands one step too high. */
const TOO_HIGH: readonly string[] = ["", "agents", "agents.defaults"];
/** Settings of memory whose names other parts of an agent's configuration have too. */
const SHARED_NAMES: readonly string[] = ["enabled", "model"];

function reasonOf(key: string, path: string): string {
  const isSetting = Object.hasOwn(settingsSchema.shape, key) && !SHARED_NAMES.includes(key);
  if (isSetting && TOO_HIGH.includes(path)) return `belongs below agents.defaults.memorySearch, as ${key}`;
  return REASONS[key] ?? NOT_ABOUT_MEMORY;
}

type Placed = readonly [value: unknown, path: string];

/**
 * Reads settings in one of the two forms, together with the settings beside them that have
 * OpenClaw's names. A file with both forms is refused, because it would be unclear which one holds.
 */
function settingsOf(
  { older, memory: [given, path] }: { older: Placed; memory: Placed },
  ignored: Ignored[],
  plugins: readonly (readonly [Raw, string])[] = [],
): SettingsPatch {
  const memory = section(given, path, ["search", ...MEMORY_KEYS], ignored);
  const newer: Placed = [memory.search, `${path}.search`];
  if (older[0] !== undefined && newer[0] !== undefined)
    throw invalidSettings([`${newer[1]}: is the same setting as ${older[1]}; keep one of them`]);
  const [value, of] = older[0] === undefined ? newer : older;
  const translated = translateSearch(value ?? {}, of);
  const settings = parseSettings(translated.settings, of);
  const withMemory = addMemory(memory, path, { settings, of });
  ignored.push(...translated.ignored, ...withMemory.ignored);
  return plugins.reduce<SettingsPatch>(
    (whole, [plugin, at]) => {
      const added = addPlugin(plugin, at, { settings: whole, of });
      ignored.push(...added.ignored);
      return parseSettings(added.settings, of);
    },
    parseSettings(withMemory.settings, of),
  );
}

function parseAgents(agents: Raw, ignored: Ignored[]): ConfigFileAgent[] {
  const listed = list(agents.list, "agents.list").map((value, index) => {
    const path = `agents.list[${index}]`;
    return parseAgent(
      section(value, path, ["id", "name", "default", "memorySearch", "memory"], ignored),
      path,
      ignored,
    );
  });
  const entries = agents.entries ?? {};
  if (!isObject(entries)) throw invalidSettings(["agents.entries: must be an object"]);
  const named = Object.entries(entries).map(([id, value]) => {
    const path = `agents.entries.${id}`;
    const raw = section(value ?? {}, path, ["name", "default", "memorySearch", "memory"], ignored);
    return parseAgent({ ...raw, id }, path, ignored);
  });
  const direct = (agents.named as [string, Raw][]).map(([id, value]) => {
    const path = `agents.${id}`;
    return parseAgent(
      { ...section(value, path, ["name", "default", "memorySearch", "memory"], ignored), id },
      path,
      ignored,
    );
  });
  const all = [...listed, ...named, ...direct];
  const repeated = all.find((agent, index) => all.findIndex((other) => other.id === agent.id) < index);
  if (repeated) throw invalidSettings([`agents: the agent '${repeated.id}' is listed twice`]);
  if (all.filter((agent) => agent.isDefault).length > 1)
    throw invalidSettings(["agents: more than one agent is the default"]);
  return all;
}

function parseAgent(raw: Raw, path: string, ignored: Ignored[]): ConfigFileAgent {
  const { id, name, default: isDefault = false } = raw;
  if (typeof id !== "string") throw invalidSettings([`${path}.id: must be the agent's id`]);
  if (name !== undefined && typeof name !== "string") throw invalidSettings([`${path}.name: must be a text`]);
  if (typeof isDefault !== "boolean") throw invalidSettings([`${path}.default: must be true or false`]);
  return {
    id: normalId(id, path),
    name,
    isDefault,
    settings: settingsOf(
      { older: [raw.memorySearch, `${path}.memorySearch`], memory: [raw.memory, `${path}.memory`] },
      ignored,
    ),
  };
}

/**
 * Returns an agent's id in lower case, because OpenClaw lower-cases ids before it compares them.
 */
function normalId(id: string, path: string): string {
  try {
    return checkAgentId(id.trim().toLowerCase());
  } catch {
    throw invalidSettings([`${path}.id: must be 1 to 63 lower-case letters, digits, '-' or '_'`]);
  }
}

/**
 * Reads the bindings. A rule with a condition that cannot be checked (a Discord guild, a Slack
 * team) is left out: without the condition it would match other messages.
 */
function parseRules(value: unknown, ignored: Ignored[]): Binding[] {
  const rules = list(value, "bindings");
  const checkable = rules.map((rule, index) => {
    const conditions = isObject(rule) && isObject(rule.match) ? Object.keys(rule.match) : [];
    const unknown = conditions.find((key) => ["guildId", "teamId", "roles", "parentPeer"].includes(key));
    const why = "cannot be checked, so the whole binding is left out";
    if (unknown !== undefined) ignored.push({ at: `bindings[${index}].match.${unknown}`, why });
    return unknown === undefined;
  });
  // The rules are parsed one by one, so that an error names the rule's place in the file.
  return rules.flatMap((rule, index) => {
    if (!checkable[index]) return [];
    const path = `bindings[${index}]`;
    const { agentId, match } = section(rule, path, ["agentId", "match"], ignored);
    return [parseBinding({ agentId, ...(match === undefined ? {} : { match }) }, path)];
  });
}

function list(value: unknown, path: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidSettings([`${path}: must be a list`]);
  if (value.length > 1000) throw invalidSettings([`${path}: has more than 1,000 entries`]);
  return value;
}

/**
 * Returns whether a key is foreign: not one of ours, and not so similar to one of ours that it is
 * probably a misspelling. OpenClaw adds sections with every release, so a fixed list would refuse
 * tomorrow's files.
 */
function isForeign(key: string, ours: readonly string[]): boolean {
  return ours.every((name) => editDistance(plain(key), plain(name)) > (name.length > 5 ? 2 : 1));
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Returns the Levenshtein distance, computed one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
