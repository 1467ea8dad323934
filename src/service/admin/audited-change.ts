import { leafPaths, valueAt } from "../../base/objects.ts";

/**
 * Returns the details of an audit entry about a change: the paths that the request names, and the
 * values before and after it as far as the states hold them; null is the default. The states must not
 * hold settings, which may be secrets, nor an agent's name, which may be a person's: the log outlives
 * the agent.
 *
 * @param change the request's merge patch
 */
export function auditedChange(change: object, before: object, after: object): Record<string, unknown> {
  const changed = leafPaths(change);
  const shown = changed.filter((path) => (path.split(".")[0] ?? "") in after);
  if (shown.length === 0) return { changed };
  const valuesOf = (state: object) => Object.fromEntries(shown.map((path) => [path, valueAt(state, path) ?? null]));
  return { changed, before: valuesOf(before), after: valuesOf(after) };
}
