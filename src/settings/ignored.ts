import { leaves } from "./settings.ts";

/** A part of a file, or of settings, that has no effect, and why. */
export interface Ignored {
  /** The part's path: `memory.qmd.command`. */
  readonly at: string;
  /** The reason, without a full stop; never a value, which may be a secret. */
  readonly why: string;
}

/** The reason for sections of a pasted file that concern other parts of an agent. */
export const NOT_ABOUT_MEMORY = "is not about memory";

/**
 * The most entries for one ignored value. More entries say no more than the path of the whole
 * value, and a request may have hundreds of thousands.
 */
const MOST_LEAVES = 30;
const MOST_CHARS = 300;

/**
 * Returns one entry for each value below a path, or one entry for the whole if there are too many.
 */
export function ignoredBelow(value: unknown, at: string, why: string): Ignored[] {
  const found = leaves(value, at);
  return (found.length > MOST_LEAVES ? [at] : found).map((leaf) => ({ at: leaf.slice(0, MOST_CHARS), why }));
}

/** Returns a sentence such as `memory.qmd.command: QMD is not used`. */
export function sentenceOf({ at, why }: Ignored): string {
  return `${at}: ${why}`;
}
