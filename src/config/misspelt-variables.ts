import { nearest } from "../base/text/nearest.ts";
import { VARIABLE_NAMES } from "./variable-names.ts";

const PREFIX = "RECOLLECT_";
/** The known names by their part after the prefix. Some have none, such as DATABASE_URL. */
const BY_PART = new Map(
  VARIABLE_NAMES.map((name) => [name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name, name]),
);

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns a sentence for each variable whose name differs from a known name in a few letters, such as
 * `RECOLLECT_PROT`, or in the prefix, such as `RECOLLECT_DATABASE_URL`.
 */
export function misspeltVariables(env: Variables = process.env): string[] {
  return unknownVariables(env).flatMap((name) => {
    const meant = meantBy(name);
    return meant === undefined ? [] : [`There is no variable ${name}. Did you mean ${meant}?`];
  });
}

/**
 * Returns the names that begin like ours, and that are neither known nor near a known name. Other programs
 * may use them, such as a compose file.
 */
export function foreignVariables(env: Variables): string[] {
  return unknownVariables(env).filter((name) => meantBy(name) === undefined);
}

/**
 * Returns the foreign names of an option. In a copy of this process's environment, such a name belongs to
 * another program and is left out.
 */
export function foreignOptions(env: Variables): string[] {
  return foreignVariables(env).filter((name) => env[name] !== process.env[name]);
}

function unknownVariables(env: Variables): string[] {
  return Object.keys(env).filter((name) => name.startsWith(PREFIX) && !VARIABLE_NAMES.includes(name));
}

function meantBy(name: string): string | undefined {
  const part = nearest(name.slice(PREFIX.length), [...BY_PART.keys()]);
  return part === undefined ? undefined : BY_PART.get(part);
}
