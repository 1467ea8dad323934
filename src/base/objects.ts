/** Returns whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value at a dotted path of an object; undefined when there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
}

/** Returns the dotted paths of an object's values that are no objects, such as `limits.bytes`. */
export function leafPaths(value: object): string[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0 ? leafPaths(inner).map((path) => `${key}.${path}`) : [key],
  );
}
