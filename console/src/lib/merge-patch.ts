type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the JSON merge patch (RFC 7396) that turns `before` into `after`. */
export function mergePatch(before: Json, after: Json): Json {
  const removed = Object.keys(before)
    .filter((name) => !(name in after))
    .map((name) => [name, null] as const);
  const changed = Object.entries(after).map(([name, value]) => {
    const old = before[name];
    return [name, isObject(old) && isObject(value) ? mergePatch(old, value) : value] as const;
  });
  return Object.fromEntries([...removed, ...changed]);
}
