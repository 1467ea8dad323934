import { nearest } from "../base/text/nearest.ts";
import { environmentSchema } from "./environment.ts";
import { TEST_SERVER_VARIABLES } from "./test-server.ts";

const PREFIX = "RECOLLECT_";
const KNOWN: readonly string[] = [...Object.keys(environmentSchema.shape), ...TEST_SERVER_VARIABLES];
const OURS = KNOWN.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));

/**
 * Returns a sentence for each variable whose name differs from a known name in a few letters, such as
 * `RECOLLECT_PROT`. Other unknown names are left alone, since other programs may use them.
 */
export function misspeltVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(PREFIX) || KNOWN.includes(name)) return [];
    const meant = nearest(name.slice(PREFIX.length), OURS);
    return meant === undefined ? [] : [`There is no variable ${name}. Did you mean ${PREFIX}${meant}?`];
  });
}
