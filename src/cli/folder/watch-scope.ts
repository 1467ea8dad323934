import { withParents } from "./watch-queue.ts";

/** The part of a folder that a comparison looks at. */
export interface Scope {
  /** Returns whether the scope contains a path, or a folder that contains the path. */
  covers(path: string): boolean;
  /** Returns whether a walk must look at a path: the scope covers it, or something below it. */
  wants(path: string): boolean;
}

export const EVERYTHING: Scope = { covers: () => true, wants: () => true };

/**
 * Creates the scope of some changed paths. It ignores case: a case-insensitive file system may
 * report a rename of `Readme.md` to `README.md` under only one of the names. On other file systems,
 * the extra look does no harm.
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
