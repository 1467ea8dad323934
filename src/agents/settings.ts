import { AppError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { join, parseStrictly } from "./parse-strictly.ts";
import { type SettingsPatch, settingsSchema } from "./settings-schema.ts";

/** Every leaf present; what the contract leaves unset is undefined. */
type Effective<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]-?: Effective<Exclude<T[K], undefined>> | (K extends UnsetKey ? undefined : never) }
    : T;

/** Keys without a default. */
type UnsetKey =
  | ("model" | "outputDimensionality" | "queryInputType" | "documentInputType" | "baseUrl" | "apiKey" | "headers")
  | ("modelPath" | "retentionDays" | "supersededDays" | "afterHalfLives");

/** The settings of an agent's memory in effect (`agents.defaults.memorySearch` in the contract). */
export type MemorySettings = Effective<SettingsPatch>;

/** The contract's table of defaults. */
export const DEFAULT_SETTINGS: MemorySettings = {
  enabled: true,
  sources: ["memory", "sessions", "facts"],
  extraPaths: [],
  provider: "auto",
  model: undefined,
  fallback: "none",
  outputDimensionality: undefined,
  queryInputType: undefined,
  documentInputType: undefined,
  remote: {
    baseUrl: undefined,
    apiKey: undefined,
    headers: undefined,
    nonBatchConcurrency: 4,
    batch: { enabled: false, concurrency: 2, pollIntervalMs: 2000, timeoutMinutes: 60 },
  },
  local: { modelPath: undefined, contextSize: 4096 },
  chunking: { tokens: 400, overlap: 80, headings: true },
  sync: {
    onSessionStart: true,
    onSearch: true,
    watch: true,
    watchDebounceMs: 1500,
    intervalMinutes: 0,
    sessions: { deltaBytes: 100_000, deltaMessages: 50, retentionDays: undefined },
  },
  query: {
    maxResults: 6,
    minScore: "auto",
    hybrid: {
      enabled: true,
      vectorWeight: 0.7,
      textWeight: 0.3,
      candidateMultiplier: 4,
      fusion: "adaptive",
      rrfK: 60,
      mmr: { enabled: false, lambda: 0.7 },
      temporalDecay: { enabled: false, halfLifeDays: 30 },
    },
    namedFiles: true,
    deduplicate: true,
    mergeNeighbours: true,
    rerank: { provider: "none", model: undefined, candidates: 30 },
    hyde: { enabled: false, model: undefined },
    language: "auto",
  },
  facts: {
    recall: { corpus: "all", maxFacts: 5, maxQuotes: 5, maxDistance: "auto", maxChars: 4000 },
    duplicateDistance: 0.03,
    capture: {
      enabled: true,
      onAppend: true,
      languages: ["en", "de", "fr", "es", "ja", "zh"],
      extract: false,
      model: undefined,
    },
    ingest: { paths: ["skills/**/*.md", "TOOLS.md", "AGENTS.md"], model: undefined },
    halfLives: { stable: 365, active: 30, session: 1, transient: 0.25 },
    retention: { expiredDays: 0, supersededDays: undefined, afterHalfLives: undefined },
  },
  cache: { enabled: true, maxEntries: 50_000 },
  citations: "auto",
};

/**
 * Checks one layer of settings.
 *
 * @param path where the layer stands, for the error: `agents.defaults.memorySearch`
 * @throws AppError `invalid_settings`, naming the path of each bad key, never a value
 */
export function parseSettings(value: unknown, path: string): SettingsPatch {
  return parseStrictly(settingsSchema, value, path);
}

/**
 * Applies a JSON merge patch (RFC 7396) to a layer: null removes a key, an object goes deeper, anything else replaces.
 *
 * @throws AppError `invalid_settings`
 */
export function mergeSettingsPatch(base: SettingsPatch, patch: unknown, path: string): SettingsPatch {
  if (!isObject(patch))
    throw new AppError("invalid_settings", `The settings are not valid. ${path}: must be an object.`);
  return parseSettings(merge(base, patch), path);
}

function merge(base: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // A Map and fromEntries define own properties, so that a key such as __proto__ stays a key and is refused by name.
  const merged = new Map(isObject(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The branches whose keys make the server reach a URL or its own file system: for the operator to set. */
const OPERATOR_BRANCHES = ["remote", "local", "extraPaths"] as const;

/** Dotted paths of the operator's keys that a layer sets. */
export function operatorKeysIn(patch: SettingsPatch): string[] {
  return OPERATOR_BRANCHES.flatMap((branch) => leaves(patch[branch], branch));
}

/** Dotted paths of everything below a value that is not itself an object. */
export function leaves(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, join(path, [key])));
}

const HIDDEN = "•••";

/** Settings for an answer: every secret is replaced, what is unset is left out. */
export function presentSettings(settings: SettingsPatch | MemorySettings): JsonObject {
  const { remote } = settings;
  if (!remote) return toJson(settings);
  const headers = remote.headers && Object.fromEntries(Object.keys(remote.headers).map((name) => [name, HIDDEN]));
  const shown = { ...remote, headers, apiKey: remote.apiKey === undefined ? undefined : HIDDEN };
  return toJson({ ...settings, remote: shown });
}

function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
