import { AppError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { join, parseStrictly } from "./parse-strictly.ts";
import { type MemorySettings, type SettingsPatch, settingsSchema } from "./settings-schema.ts";

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
