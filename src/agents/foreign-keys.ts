import { isObject } from "./settings.ts";

/**
 * Whether a key belongs to somebody else's section of the file: anything that is not nearly one of ours. OpenClaw adds
 * sections with every release, so a list of them would refuse tomorrow's files.
 */
export function isForeign(key: string, ours: readonly string[]): boolean {
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
export function withoutForeign(value: unknown, path: string, ignored: string[]): unknown {
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
