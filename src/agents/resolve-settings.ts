import { invalidSettings } from "./parse-strictly.ts";
import { isObject } from "./settings.ts";
import { DEFAULT_SETTINGS, type MemorySettings, type SettingsPatch } from "./settings-schema.ts";

export interface SettingsLayer {
  /** `user`, `workspace`, `tenant`, `agent`. */
  readonly origin: string;
  readonly settings: SettingsPatch;
}

export interface ResolvedSettings {
  readonly settings: MemorySettings;
  /** The layer that each value comes from, by dotted path. */
  readonly origins: Readonly<Record<string, string>>;
}

/**
 * The settings in effect: layers from weak to strong over the defaults. Lists and headers are replaced whole.
 *
 * @throws AppError `invalid_settings` when values that are valid each for themselves do not go together
 */
export function resolveSettings(layers: readonly SettingsLayer[]): ResolvedSettings {
  const origins: Record<string, string> = { ...DEFAULT_ORIGINS };
  let settings: unknown = DEFAULT_SETTINGS;
  for (const layer of layers) settings = overlay(settings, layer.settings, "", layer.origin, origins);
  const resolved = settings as MemorySettings;
  const { tokens, overlap } = resolved.chunking;
  if (overlap >= tokens) {
    const from = origins["chunking.overlap"];
    throw invalidSettings([
      `chunking.overlap (${overlap}, from ${from}) must be less than chunking.tokens (${tokens})`,
    ]);
  }
  return { settings: resolved, origins };
}

function overlay(
  below: unknown,
  above: unknown,
  path: string,
  origin: string,
  origins: Record<string, string>,
): unknown {
  if (above === undefined) return below;
  // Headers are one value: whoever sets them means all of them.
  if (!isObject(above) || path === "remote.headers") {
    origins[path] = origin;
    return above;
  }
  const merged: Record<string, unknown> = isObject(below) ? { ...below } : {};
  for (const [key, value] of Object.entries(above))
    merged[key] = overlay(merged[key], value, path === "" ? key : `${path}.${key}`, origin, origins);
  return merged;
}

/** Dotted paths of all leaves, those that are unset too. */
function keysOf(value: unknown, path: string): string[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => keysOf(child, path === "" ? key : `${path}.${key}`));
}

const DEFAULT_ORIGINS: Readonly<Record<string, string>> = Object.fromEntries(
  keysOf(DEFAULT_SETTINGS, "").map((path) => [path, "default"]),
);
