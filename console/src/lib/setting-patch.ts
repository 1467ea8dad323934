type Json = Record<string, unknown>;

/** Returns the value at a dotted path, or undefined. */
export function valueAt(from: Json, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), from);
}

/**
 * Returns the JSON merge patch that sets each path to its value. Undefined takes the value away, so
 * that the one of a weaker layer counts again.
 */
export function patchOf(values: ReadonlyMap<string, unknown>): Json {
  const patch: Json = {};
  for (const [path, value] of values) {
    const keys = path.split(".");
    const last = keys.pop() ?? path;
    let at = patch;
    for (const key of keys) {
      const inner = isObject(at[key]) ? at[key] : {};
      at[key] = inner;
      at = inner;
    }
    at[last] = value === undefined ? null : value;
  }
  return patch;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
