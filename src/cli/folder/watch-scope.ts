import { withParents } from "./watch-queue.ts";

/** The part of a folder that a comparison looks at. */
export interface Scope {
  /** Whether a path is in it, itself or with a folder it is in. */
  covers(path: string): boolean;
  /** Whether a walk must look at a path: it is covered, or something below it is. */
  wants(path: string): boolean;
}

export const EVERYTHING: Scope = { covers: () => true, wants: () => true };

/**
 * The scope of some changed paths. Blind to case: a file system that is so may report a rename of `Readme.md` to
 * `README.md` by one of the names only, and elsewhere a second look does no harm.
 */
export function scopeOf(paths: Iterable<string>): Scope {
  const changed = new Set([...paths].map(fold));
  const above = new Set([...changed].flatMap(withParents));
  const covers = (path: string) => withParents(fold(path)).some((part) => changed.has(part));
  return { covers, wants: (path) => above.has(fold(path)) || covers(path) };
}

function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
