import { nearest } from "../base/text/nearest.ts";

const PREFIX = "RECOLLECT_";

/**
 * Returns a sentence for each variable whose name differs from a known name in a few letters, such as
 * `RECOLLECT_PROT`. Other unknown names are left alone, since other programs may use them.
 *
 * @param known the names of all variables that Recollect reads
 */
export function misspeltVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  const ours = known.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(PREFIX) || known.includes(name)) return [];
    const meant = nearest(name.slice(PREFIX.length), ours);
    return meant === undefined ? [] : [`There is no variable ${name}. Did you mean ${PREFIX}${meant}?`];
  });
}
