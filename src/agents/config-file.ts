import { checkAgentId } from "./agent-id.ts";
import { type Binding, parseBinding } from "./bindings.ts";
import { type Prices, parsePrices } from "./embedding-prices.ts";
import { parseExtraPathRoots } from "./extra-paths.ts";
import { type Limits, parseLimits } from "./limits.ts";
import { invalidSettings, join } from "./parse-strictly.ts";
import { isObject, parseSettings } from "./settings.ts";
import type { SettingsPatch } from "./settings-schema.ts";

export interface ConfigFileAgent {
  readonly id: string;
  readonly name: string | undefined;
  readonly isDefault: boolean;
  readonly settings: SettingsPatch;
}

/** What an operator's file says. */
export interface ConfigFile {
  readonly defaults: SettingsPatch;
  readonly agents: readonly ConfigFileAgent[];
  readonly bindings: readonly Binding[];
  readonly limits: { readonly agent: Limits; readonly tenant: Limits };
  /** What models cost, besides those whose price is known. */
  readonly prices?: Prices | undefined;
  /** Folders of the server that settings may name in `extraPaths`; undefined: the file does not say. */
  readonly extraPathRoots: readonly string[] | undefined;
  /** Paths of what Recollect does not support, for a warning. */
  readonly ignored: readonly string[];
}

type Raw = Record<string, unknown>;

/**
 * Reads a file in either form: `agents.defaults.memorySearch` with `agents.list[]`, as in an OpenClaw configuration, or
 * `memory.search` with `agents.entries.<id>.memory.search`. The other sections of a pasted OpenClaw file are left out and
 * named in `ignored`; a key that looks like one of ours misspelt is an error.
 *
 * @param value the parsed file; null when it is empty
 * @throws AppError `invalid_settings`, naming the path of each bad key
 */
export function parseConfigFile(value: unknown): ConfigFile {
  const ignored: string[] = [];
  const top = section(value ?? {}, "", ["agents", "memory", "bindings", "limits", "prices", "extraPathRoots"], ignored);
  const agents = section(top.agents, "agents", ["defaults", "list", "entries"], ignored);
  const defaults = section(agents.defaults, "agents.defaults", ["memorySearch"], ignored);
  const memory = section(top.memory, "memory", ["search"], ignored);
  const limits = section(top.limits, "limits", ["agent", "tenant"], ignored, "strict");
  return {
    defaults: eitherForm(
      [defaults.memorySearch, "agents.defaults.memorySearch"],
      [memory.search, "memory.search"],
      ignored,
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

function parseRoots(value: unknown): string[] {
  const roots = list(value, "extraPathRoots");
  const bad = roots.findIndex((root) => typeof root !== "string");
  if (bad >= 0) throw invalidSettings([`extraPathRoots[${bad}]: must be a text`]);
  return parseExtraPathRoots(roots as string[], "extraPathRoots");
}

/** One object of the file; keys that are not ours are ignored, or with `strict` refused. */
function section(value: unknown, path: string, ours: readonly string[], ignored: string[], strict?: "strict"): Raw {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidSettings([`${path || "the file"}: must be an object`]);
  for (const key of Object.keys(value)) {
    if (ours.includes(key)) continue;
    if (strict || !isForeign(key, ours)) throw invalidSettings([`${join(path, [key])}: unknown key`]);
    ignored.push(join(path, [key]));
  }
  return value;
}

/** Settings in one of the two forms. With both, it would be unclear which holds. */
function eitherForm(one: [unknown, string], other: [unknown, string], ignored: string[]): SettingsPatch {
  if (one[0] !== undefined && other[0] !== undefined)
    throw invalidSettings([`${other[1]}: is the same setting as ${one[1]}; keep one of them`]);
  const [value, path] = one[0] === undefined ? other : one;
  return value === undefined ? {} : parseSettings(withoutForeign(value, path, ignored), path);
}

function parseAgents(agents: Raw, ignored: string[]): ConfigFileAgent[] {
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
  const all = [...listed, ...named];
  const repeated = all.find((agent, index) => all.findIndex((other) => other.id === agent.id) < index);
  if (repeated) throw invalidSettings([`agents: the agent '${repeated.id}' is listed twice`]);
  if (all.filter((agent) => agent.isDefault).length > 1)
    throw invalidSettings(["agents: more than one agent is the default"]);
  return all;
}

function parseAgent(raw: Raw, path: string, ignored: string[]): ConfigFileAgent {
  const { id, name, default: isDefault = false } = raw;
  if (typeof id !== "string") throw invalidSettings([`${path}.id: must be the agent's id`]);
  if (name !== undefined && typeof name !== "string") throw invalidSettings([`${path}.name: must be a text`]);
  if (typeof isDefault !== "boolean") throw invalidSettings([`${path}.default: must be true or false`]);
  const memory = section(raw.memory, `${path}.memory`, ["search"], ignored);
  return {
    id: normalId(id, path),
    name,
    isDefault,
    settings: eitherForm([raw.memorySearch, `${path}.memorySearch`], [memory.search, `${path}.memory.search`], ignored),
  };
}

/** OpenClaw lower-cases ids before it compares them. */
function normalId(id: string, path: string): string {
  try {
    return checkAgentId(id.trim().toLowerCase());
  } catch {
    throw invalidSettings([`${path}.id: must be 1 to 63 lower-case letters, digits, '-' or '_'`]);
  }
}

/**
 * The bindings. A rule with a condition that cannot be checked (a Discord guild, a Slack team) is left out: without the
 * condition it would match other messages.
 */
function parseRules(value: unknown, ignored: string[]): Binding[] {
  const rules = list(value, "bindings");
  const checkable = rules.map((rule, index) => {
    const conditions = isObject(rule) && isObject(rule.match) ? Object.keys(rule.match) : [];
    const unknown = conditions.find((key) => ["guildId", "teamId", "roles", "parentPeer"].includes(key));
    if (unknown !== undefined) ignored.push(`bindings[${index}].match.${unknown}`);
    return unknown === undefined;
  });
  // Parsed one by one, so that an error names the rule's place in the file.
  return rules.flatMap((rule, index) => {
    if (!checkable[index]) return [];
    const path = `bindings[${index}]`;
    const { agentId, match } = section(rule, path, ["agentId", "match"], ignored);
    return [parseBinding({ agentId, match }, path)];
  });
}

function list(value: unknown, path: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidSettings([`${path}: must be a list`]);
  if (value.length > 1000) throw invalidSettings([`${path}: has more than 1,000 entries`]);
  return value;
}

/**
 * Whether a key belongs to another section of the file, that is, is not nearly one of ours. OpenClaw adds sections with
 * every release, so a fixed list would refuse tomorrow's files.
 */
function isForeign(key: string, ours: readonly string[]): boolean {
  return ours.every((name) => editDistance(plain(key), plain(name)) > (name.length > 5 ? 2 : 1));
}

/** Keys of OpenClaw's `memorySearch` that have no counterpart here: its SQLite store, its sidecar, what it has since renamed. */
const FOREIGN_SETTINGS: readonly (readonly string[])[] = [
  ["store"],
  ["experimental"],
  ["multimodal"],
  ["qmd"],
  ["rememberAcrossConversations"],
  ["inputType"],
  ["dimensions"],
  ["local", "modelCacheDir"],
  ["remote", "batch", "wait"],
];

/** Settings without the keys that only OpenClaw itself understands; their paths are added to `ignored`. */
function withoutForeign(value: unknown, path: string, ignored: string[]): unknown {
  return FOREIGN_SETTINGS.reduce<unknown>((rest, keys) => without(rest, keys, path, ignored), value);
}

function without(value: unknown, keys: readonly string[], path: string, ignored: string[]): unknown {
  const [key, ...deeper] = keys;
  if (key === undefined || !isObject(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: child, ...rest } = value;
  if (deeper.length > 0) return { ...value, [key]: without(child, deeper, `${path}.${key}`, ignored) };
  ignored.push(`${path}.${key}`);
  return rest;
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Levenshtein distance, one row at a time. */
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
