import { AppError } from "../base/errors.ts";
import { expandHome } from "../base/expand-home.ts";
import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/objects.ts";
import { REMOVED_SETTINGS, withoutRemovedSettings } from "../base/removed-keys.ts";
import { invalidSettings, join, parseStrictly } from "./parse-strictly.ts";
import { DEFAULT_SETTINGS, type MemorySettings, type SettingsPatch, settingsSchema } from "./settings-schema.ts";

/**
 * Checks one layer of settings.
 *
 * @param path the place of the layer, for the error: `agents.defaults.memorySearch`
 * @throws AppError `invalid_settings`, naming the path of each bad key, never a value
 */
export function parseSettings(value: unknown, path: string): SettingsPatch {
  return withHome(parseStrictly(settingsSchema, value, path, REMOVED_SETTINGS));
}

/**
 * Replaces `~` in paths of the server's disk by the home folder of this process. The paths are
 * stored in this form, whichever process reads them later.
 */
function withHome(settings: SettingsPatch): SettingsPatch {
  const { extraPaths, local } = settings;
  return {
    ...settings,
    ...(extraPaths === undefined ? {} : { extraPaths: extraPaths.map(expandExtraPath) }),
    ...(local?.modelPath === undefined ? {} : { local: { ...local, modelPath: expandHome(local.modelPath) } }),
  };
}

function expandExtraPath(one: NonNullable<SettingsPatch["extraPaths"]>[number]): typeof one {
  return typeof one === "string" ? expandHome(one) : { ...one, path: expandHome(one.path) };
}

/**
 * Applies a JSON merge patch (RFC 7396) to a layer: null removes a key, an object is merged key by
 * key, any other value replaces the old one. The stored layer loses settings that were removed since
 * it was stored; a patch that sets one is refused.
 *
 * @throws AppError `invalid_settings`
 */
export function mergeSettingsPatch(base: SettingsPatch, patch: unknown, path: string): SettingsPatch {
  if (!isObject(patch))
    throw new AppError("invalid_settings", `The settings are not valid. ${path}: must be an object.`);
  return parseSettings(merge(withoutRemovedSettings(base), patch), path);
}

function merge(base: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // A Map and fromEntries define own properties, so that a key such as __proto__ stays a key and is
  // refused by name.
  const merged = new Map(isObject(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/**
 * The branches whose keys make the server reach a URL or its own file system. Only the operator may
 * set them.
 */
const OPERATOR_BRANCHES = ["remote", "local", "extraPaths"] as const;

/** Returns the dotted paths of the operator's keys that a layer sets. */
export function operatorKeysIn(patch: SettingsPatch): string[] {
  return OPERATOR_BRANCHES.flatMap((branch) => leaves(patch[branch], branch));
}

/** Returns the dotted paths of all values below a value that are not objects themselves. */
export function leaves(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, join(path, [key])));
}

const HIDDEN = "•••";

/**
 * Returns settings for an answer: every secret is replaced, and unset and removed settings are left
 * out.
 */
export function presentSettings(settings: SettingsPatch | MemorySettings): JsonObject {
  const current = withoutRemovedSettings(settings);
  const { remote } = current;
  if (!remote) return toJson(current);
  const { former } = remote;
  const shown = { ...withoutSecrets(remote), ...(former ? { former: withoutSecrets(former) } : {}) };
  return toJson({ ...current, remote: shown });
}

type Secrets = { apiKey?: string | undefined; headers?: Readonly<Record<string, string>> | undefined };

function withoutSecrets<T extends Secrets>({ apiKey, headers, ...rest }: T) {
  const names = headers && Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
  return { ...rest, headers: names, apiKey: apiKey === undefined ? undefined : HIDDEN };
}

function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

export interface SettingsLayer {
  /** The source of the layer: `user`, `workspace`, `tenant`, `agent`. */
  readonly origin: string;
  readonly settings: SettingsPatch;
}

export interface ResolvedSettings {
  readonly settings: MemorySettings;
  /** The origin of the layer that each value comes from, by dotted path. */
  readonly origins: Readonly<Record<string, string>>;
}

/**
 * Returns the effective settings: the layers, from weak to strong, over the defaults. Lists and
 * headers are replaced as a whole.
 *
 * @throws AppError `invalid_settings` when values that are valid by themselves do not go together
 */
export function resolveSettings(layers: readonly SettingsLayer[]): ResolvedSettings {
  const origins: Record<string, string> = { ...DEFAULT_ORIGINS };
  let settings: unknown = DEFAULT_SETTINGS;
  for (const layer of layers) settings = overlay(settings, layer.settings, "", layer.origin, origins);
  const resolved = withRankWeights(settings as MemorySettings, origins);
  checkOverlap(resolved, origins);
  return { settings: resolved, origins };
}

/** Checks that each chunk of a text goes further than the chunk before it. */
function checkOverlap({ chunking: { tokens, overlap } }: MemorySettings, origins: ResolvedSettings["origins"]): void {
  if (overlap < tokens) return;
  const origin = origins["chunking.overlap"];
  throw invalidSettings([
    `chunking.overlap (${overlap}, from ${origin}) must be less than chunking.tokens (${tokens})`,
  ]);
}

/**
 * Makes reciprocal rank fusion unweighted unless a layer sets a weight: 0.7 and 0.3 were found for
 * scores, not for ranks.
 */
function withRankWeights(settings: MemorySettings, origins: ResolvedSettings["origins"]): MemorySettings {
  const { query } = settings;
  const isUnset = (name: "vectorWeight" | "textWeight") => origins[`query.hybrid.${name}`] === DEFAULT_ORIGIN;
  if (query.hybrid.fusion !== "rrf" || !isUnset("vectorWeight") || !isUnset("textWeight")) return settings;
  return { ...settings, query: { ...query, hybrid: { ...query.hybrid, vectorWeight: 1, textWeight: 1 } } };
}

/**
 * Returns an agent's settings with another fusion, for one search. Weights that still have the old
 * fusion's defaults get the new fusion's defaults.
 */
export function withFusion(
  settings: MemorySettings,
  fusion: MemorySettings["query"]["hybrid"]["fusion"],
): MemorySettings {
  const { hybrid } = settings.query;
  const { vectorWeight, textWeight } = DEFAULT_SETTINGS.query.hybrid;
  const of = (one: typeof fusion) => (one === "rrf" ? [1, 1] : [vectorWeight, textWeight]) as [number, number];
  const [vector, text] = of(hybrid.fusion);
  const isUsual = hybrid.vectorWeight === vector && hybrid.textWeight === text;
  const [wantedVector, wantedText] = of(fusion);
  const weights = isUsual ? { vectorWeight: wantedVector, textWeight: wantedText } : {};
  return { ...settings, query: { ...settings.query, hybrid: { ...hybrid, fusion, ...weights } } };
}

function overlay(
  below: unknown,
  above: unknown,
  path: string,
  origin: string,
  origins: Record<string, string>,
): unknown {
  if (above === undefined) return below;
  // Headers are one value: a layer that sets them sets all of them.
  if (!isObject(above) || path === "remote.headers" || path === "remote.former.headers") {
    origins[path] = origin;
    return above;
  }
  const merged: Record<string, unknown> = isObject(below) ? { ...below } : {};
  for (const [key, value] of Object.entries(above))
    merged[key] = overlay(merged[key], value, path === "" ? key : `${path}.${key}`, origin, origins);
  return merged;
}

/** Returns the dotted paths of all leaves, including the unset ones. */
function keysOf(value: unknown, path: string): string[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => keysOf(child, path === "" ? key : `${path}.${key}`));
}

const DEFAULT_ORIGIN = "default";
const DEFAULT_ORIGINS: Readonly<Record<string, string>> = Object.fromEntries(
  keysOf(DEFAULT_SETTINGS, "").map((path) => [path, DEFAULT_ORIGIN]),
);
