import { leaves } from "./settings.ts";

/** A part of a file, or of settings, that has no effect, and why. */
export interface Ignored {
  /** Its path: `memory.qmd.command`. */
  readonly at: string;
  /** Without a full stop; never a value, which may be a secret. */
  readonly why: string;
}

/** Why the sections of a pasted file that concern other parts of an agent have no effect. */
export const NOT_ABOUT_MEMORY = "is not about memory";

/** More than this say no more than the name of the whole; a request may have hundreds of thousands. */
const MOST_LEAVES = 30;
const MOST_CHARS = 300;

/** One entry for each value below a path; one for the whole where these are many. */
export function ignoredBelow(value: unknown, at: string, why: string): Ignored[] {
  const found = leaves(value, at);
  return (found.length > MOST_LEAVES ? [at] : found).map((leaf) => ({ at: leaf.slice(0, MOST_CHARS), why }));
}

/** `memory.qmd.command: QMD is not used` */
export function sentenceOf({ at, why }: Ignored): string {
  return `${at}: ${why}`;
}
