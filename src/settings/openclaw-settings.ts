import { AppError } from "../base/errors.ts";
import { isObject, valueAt } from "../base/objects.ts";
import { REMOVED_SETTINGS } from "../base/removed-keys.ts";
import { type Ignored, ignoredBelow } from "./ignored.ts";
import { invalidSettings } from "./parse-strictly.ts";
import { parseSettings } from "./settings.ts";

/** A value of a pasted file that is a setting here under another name. */
interface Move {
  /** The value's path in the file. */
  readonly at: string;
  /** The setting's path here. */
  readonly to: string;
  readonly value: unknown;
}

/**
 * The rule for a key of OpenClaw's: the settings that it is here, with the value converted, or the
 * reason for which it has no effect. A conversion returns undefined when Recollect already behaves
 * as the value asks.
 */
type Rule = { readonly to: readonly string[]; readonly as?: (value: unknown, at: string) => unknown } | string;
type Rules = Readonly<Record<string, Rule>>;

const NO_QMD = "QMD is not used: Recollect has its own index";

/** Rules for `memory.qmd`, OpenClaw's search sidecar. */
const QMD_RULES: Rules = {
  "update.interval": { to: ["sync.intervalMinutes"], as: toMinutes },
  "update.debounceMs": { to: ["sync.watchDebounceMs"] },
  "update.onBoot": asItIs(true, "folders of the server are synced whenever a worker starts"),
  "sessions.enabled": { to: ["sources"], as: toSources },
  "sessions.retentionDays": { to: ["sync.sessions.retentionDays"] },
  "sessions.exportDir": "conversations are in the database",
  "limits.maxResults": { to: ["query.maxResults"] },
  "limits.maxSnippetChars": "a snippet has at most 700 characters",
  "limits.timeoutMs": "the operator's RECOLLECT_QUERY_EMBED_TIMEOUT_MS is the time limit of a search",
  paths: { to: ["extraPaths"], as: toExtraPaths },
  includeDefaultMemory: asItIs(true, "all files of an agent are searched; narrow a search with `paths`"),
  scope: "API keys, and the program that offers the tools, decide who may search",
  searchMode: "a search is hybrid; its weights are query.hybrid",
  rerank: "set query.rerank instead",
};

/**
 * Rules for `memorySearch`: keys that only OpenClaw's SQLite index needs, and keys that OpenClaw
 * has since renamed.
 */
const SEARCH_RULES: Rules = {
  inputType: { to: ["queryInputType", "documentInputType"] },
  dimensions: { to: ["outputDimensionality"] },
  "ingest.paths": { to: ["facts.ingest.paths"] },
  "ingest.model": { to: ["facts.ingest.model"] },
  "ingest.chunkSize": { to: ["facts.ingest.chunkSize"] },
  "ingest.overlap": asItIs(100, removedBecause("facts.ingest.overlap")),
  ingest: "files are ingested only on request (recollect ingest)",
  hydeEnabled: { to: ["query.hyde.enabled"] },
  hydeModel: { to: ["query.hyde.model"] },
  "search.hydeEnabled": { to: ["query.hyde.enabled"] },
  "search.hydeModel": { to: ["query.hyde.model"] },
  search: "has no effect; the settings of a search are in the group query",
  "store.fuzzyDedupe": asItIs(true, "equal facts are always stored once"),
  store: "memory is stored in Postgres (DATABASE_URL)",
  "experimental.sessionMemory": "conversations are searched if `sources` lists sessions",
  experimental: "Recollect has no such setting",
  multimodal: "only text is indexed",
  qmd: NO_QMD,
  rememberAcrossConversations: "all conversations of an agent are searched if `sources` lists sessions",
  "local.modelCacheDir": "models are in RECOLLECT_CACHE_DIR; name a file with local.modelPath",
  "remote.batch.wait": "batches never hold up a write or a search",
  "sync.embeddingBatchTimeoutSeconds": "each provider has its own time limit for requests, and jobs try again",
  "sync.sessions.postCompactionForce": "a message is indexed when it is appended",
};

/** Rules for `memory`, besides `memory.search`. */
const MEMORY_RULES: Rules = {
  citations: { to: ["citations"] },
  backend: "Recollect has one backend, Postgres",
  ...only(SEARCH_RULES, "ingest", "store"),
};

/**
 * Rules for keys at the top of a file, where a memory plugin's documentation puts them, and for the
 * same keys in the plugin's own configuration.
 */
const PLUGIN_RULES: Rules = only(SEARCH_RULES, "ingest", "search", "store");

/** The keys of `memory` that have rules. */
export const MEMORY_KEYS = ["backend", "citations", "qmd", "ingest", "store"] as const;
/** The keys at the top of a file that have rules. */
export const TOP_KEYS = ["ingest", "search", "store"] as const;

/**
 * Translates `memorySearch` as it was pasted into settings with the names that they have here.
 *
 * @param value an object; any other value is returned unchanged, and is later refused as settings
 * @param path the place of the value in the file
 * @returns the settings, not yet checked, and the parts that have no effect
 */
export function translateSearch(value: unknown, path: string): { settings: unknown; ignored: Ignored[] } {
  if (!isObject(value)) return { settings: value, ignored: [] };
  const { rest, moves, ignored } = apply(SEARCH_RULES, value, path);
  return { settings: place(rest, moves, path, ignored), ignored };
}

/**
 * Adds the values of `memory` besides `memory.search` to settings. Settings that the file already
 * has under their own names take precedence.
 *
 * @param memory the section; `path` is its place in the file
 * @param settings the settings that `translateSearch` returned
 * @param of the place of these settings in the file
 * @throws AppError `invalid_settings`, naming the path of a value that is out of range
 */
export function addMemory(
  memory: Readonly<Record<string, unknown>>,
  path: string,
  { settings, of }: { settings: unknown; of: string },
): { settings: unknown; ignored: Ignored[] } {
  const { qmd, search: _search, ...plain } = memory;
  const { moves, ignored } = apply(MEMORY_RULES, plain, path);
  const isOff = memory.backend !== undefined && memory.backend !== "qmd";
  if (isOff) ignored.push(...ignoredBelow(qmd, `${path}.qmd`, "memory.backend is not qmd"));
  else if (!isObject(qmd)) ignored.push(...ignoredBelow(qmd, `${path}.qmd`, NO_QMD));
  const sidecar = !isOff && isObject(qmd) ? apply(QMD_RULES, qmd, `${path}.qmd`) : undefined;
  if (sidecar) {
    ignored.push(...sidecar.ignored, ...leavesLeft(sidecar.rest, `${path}.qmd`));
    ignored.push(...namesOf(qmd, `${path}.qmd.paths`));
  }
  const all = [...moves, ...(sidecar?.moves ?? [])];
  for (const move of all) check(move);
  return { settings: place(settings, all, of, ignored), ignored };
}

/**
 * Adds `ingest`, `search` and `store` from the top of a file, or from a memory plugin's configuration.
 *
 * @throws as `addMemory`
 */
export function addPlugin(
  plugin: Readonly<Record<string, unknown>>,
  path: string,
  { settings, of }: { settings: unknown; of: string },
): { settings: unknown; ignored: Ignored[] } {
  const { moves, ignored } = apply(PLUGIN_RULES, plugin, path);
  for (const move of moves) check(move);
  return { settings: place(settings, moves, of, ignored), ignored };
}

/**
 * Takes the keys that have rules out of a value. A rule for a longer path is applied before a rule
 * for a shorter one.
 */
function apply(rules: Rules, value: Readonly<Record<string, unknown>>, path: string) {
  const moves: Move[] = [];
  const ignored: Ignored[] = [];
  let rest: unknown = value;
  const longestFirst = Object.entries(rules).sort(([a], [b]) => b.split(".").length - a.split(".").length);
  for (const [key, rule] of longestFirst) {
    const keys = key.split(".");
    const found = valueAt(rest, key);
    if (found === undefined) continue;
    const from = path === "" ? key : `${path}.${key}`;
    rest = without(rest, keys);
    // As in a merge patch, null takes a setting back. Here there is no setting to take back.
    if (typeof rule === "string") ignored.push(...(found === null ? [] : ignoredBelow(found, from, rule)));
    else {
      const converted = rule.as ? rule.as(found, from) : found;
      if (converted instanceof Reason) ignored.push({ at: from, why: converted.why });
      else if (converted !== undefined) moves.push(...rule.to.map((to) => ({ at: from, to, value: converted })));
    }
  }
  return { rest, moves, ignored };
}

/** The reason why a value has no effect, where the reason depends on the value. */
class Reason {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Returns the reason why a setting was removed, for a key of OpenClaw's that was translated to it. */
function removedBecause(path: string): string {
  return REMOVED_SETTINGS.get(path) ?? "Recollect has no such setting";
}

/** Returns the rule for a value that can only be one value here. */
function asItIs(way: boolean | number, why: string): Rule {
  return { to: [], as: (value) => (value === way ? undefined : new Reason(why)) };
}

/**
 * Puts the moved values where no setting stands yet. A setting that is there already takes
 * precedence, and the moved value is noted as ignored.
 */
function place(settings: unknown, moves: readonly Move[], path: string, ignored: Ignored[]): unknown {
  let placed: unknown = settings ?? {};
  for (const { at: from, to, value } of moves) {
    const keys = to.split(".");
    if (valueAt(placed, to) === undefined) placed = withValue(placed, keys, value);
    else ignored.push({ at: from, why: `${path === "" ? to : `${path}.${to}`} is set too and takes precedence` });
  }
  return placed;
}

/**
 * Checks a moved value under the name that it has in the file, because the reader knows that name.
 */
function check({ at: from, to, value }: Move): void {
  try {
    parseSettings(withValue({}, to.split("."), value), "");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problem = error.message.slice(error.message.indexOf(to) + to.length).replace(/\.$/, "");
    throw invalidSettings([`${from}${problem}`]);
  }
}

function leavesLeft(rest: unknown, path: string): Ignored[] {
  return isObject(rest) && Object.keys(rest).length > 0 ? ignoredBelow(rest, path, NO_QMD) : [];
}

/** Returns the rules whose first key is one of the given keys. */
function only(rules: Rules, ...first: string[]): Rules {
  return Object.fromEntries(Object.entries(rules).filter(([key]) => first.includes(key.split(".")[0] ?? "")));
}

/** Returns an object without a key, and without inner objects that become empty. */
function without(value: unknown, [key = "", ...deeper]: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const { [key]: child, ...rest } = value;
  const left = deeper.length === 0 ? undefined : without(child, deeper);
  const isEmpty = left === undefined || (isObject(left) && Object.keys(left).length === 0);
  return isEmpty ? rest : { ...value, [key]: left };
}

function withValue(value: unknown, [key, ...deeper]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  const outer = isObject(value) ? value : {};
  return { ...outer, [key]: withValue(outer[key], deeper, leaf) };
}

const MINUTES = { ms: 1 / 60_000, s: 1 / 60, m: 1, h: 60, d: 1440 } as const;
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/**
 * Reads `5m`, `1h30m`, or a number of minutes. Less than a minute becomes one, because syncs are
 * planned by the minute. 0 means never.
 */
function toMinutes(value: unknown, path: string): number {
  const text = String(value).trim().toLowerCase();
  if (/^\d+(\.\d+)?$/.test(text)) return atLeastOne(Number(text));
  if (!DURATION.test(text)) throw invalidSettings([`${path}: must be a duration such as 5m or 1h`]);
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)];
  return atLeastOne(
    parts.reduce((sum, [, count, unit]) => sum + Number(count) * MINUTES[unit as keyof typeof MINUTES], 0),
  );
}

function atLeastOne(minutes: number): number {
  return minutes === 0 ? 0 : Math.max(1, Math.round(minutes));
}

function toSources(value: unknown, path: string): string[] {
  if (typeof value !== "boolean") throw invalidSettings([`${path}: must be true or false`]);
  return value ? ["memory", "sessions", "facts"] : ["memory", "facts"];
}

/** Reads QMD's collections: `{ name?, path, pattern? }`. */
function toExtraPaths(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw invalidSettings([`${path}: must be a list`]);
  return value.map((one: unknown) => {
    if (!isObject(one)) return one;
    const { name: _name, ...rest } = one;
    return rest;
  });
}

function namesOf(qmd: unknown, path: string): Ignored[] {
  const paths = valueAt(qmd, "paths");
  if (!Array.isArray(paths)) return [];
  const named = [...paths.entries()].filter(([, one]) => isObject(one) && one.name !== undefined);
  return named.map(([index]) => ({ at: `${path}[${index}].name`, why: "folders of the server have no names" }));
}
