/** Returns the values of an object with their dotted paths. A list counts as one value. */
export function flatten(value: Record<string, unknown>, before = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const path = before === "" ? name : `${before}.${name}`;
    return typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? flatten(inner as Record<string, unknown>, path)
      : [[path, inner]];
  });
}

/**
 * Returns the differences between two objects, by dotted path. `undefined` stands for a missing
 * value.
 */
export function differencesOf(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): { path: string; from: unknown; to: unknown }[] {
  const [old, wanted] = [new Map(flatten(before)), new Map(flatten(after))];
  return [...new Set([...old.keys(), ...wanted.keys()])]
    .filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(wanted.get(path)))
    .map((path) => ({ path, from: old.get(path), to: wanted.get(path) }));
}
