import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isTaken } from "../../service/files/document-type.ts";
import { addFolderRules, IGNORE_FILES, type IgnoreRules, isIgnored, startRules } from "./ignore-rules.ts";

/** Returns whether a path names an ignore file. */
export function isIgnoreFile(path: string): boolean {
  return IGNORE_FILES.includes(path.slice(path.lastIndexOf("/") + 1));
}

/**
 * Creates a filter for paths that need no watching: ignored paths, so that a `node_modules` costs
 * no watches, and files that are neither text nor document. Each ignore file is read once, so a
 * change of an ignore file needs a new filter. The filter is synchronous because the watcher calls
 * it synchronously.
 *
 * @returns a function that takes a path below the root and its `lstat` result
 */
export function createWatchFilter(root: string, patterns: readonly string[]): (path: string, stats: Stats) => boolean {
  const known = new Map<string, IgnoreRules>();
  const rulesIn = (base: string): IgnoreRules => {
    const cached = known.get(base);
    if (cached) return cached;
    const outer = base === "" ? startRules(patterns) : rulesIn(folderOf(base.slice(0, -1)));
    const rules = addFolderRules(outer, base, ignoreTexts(join(root, base)));
    known.set(base, rules);
    return rules;
  };
  return (path, stats) => {
    if (stats.isFile() && isIgnoreFile(path)) return false;
    if (stats.isFile() && !isTaken(path)) return true;
    const base = folderOf(path);
    return isIgnored(rulesIn(base), path.slice(base.length), stats.isDirectory() ? `${path}/` : path);
  };
}

/** Returns the folder of a path, with a trailing slash; empty at the top. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function ignoreTexts(folder: string): string[] {
  return IGNORE_FILES.flatMap((name) => {
    const path = join(folder, name);
    try {
      return lstatSync(path).isFile() ? [readFileSync(path, "utf8")] : [];
    } catch {
      // The file is absent or unreadable. In the second case the walk takes nothing from this
      // folder, and watching too much does no harm.
      return [];
    }
  });
}
