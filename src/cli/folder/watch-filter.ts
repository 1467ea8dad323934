import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { addFolderRules, IGNORE_FILES, type IgnoreRules, isIgnored, startRules } from "./ignore-rules.ts";
import { isTaken } from "./walk-folder.ts";

/** Whether a path names a file of rules. */
export function isIgnoreFile(path: string): boolean {
  return IGNORE_FILES.includes(path.slice(path.lastIndexOf("/") + 1));
}

/**
 * Which paths need no watching: what the rules ignore, so that a `node_modules` costs no watches, and files that are neither
 * text nor document. The rules are read once, so a change of an ignore file needs a new filter. Synchronous, as the watcher asks.
 *
 * @returns a function of a path below the root and what `lstat` says of it
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

/** The folder a path is in, with a trailing slash; empty at the top. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function ignoreTexts(folder: string): string[] {
  return IGNORE_FILES.flatMap((name) => {
    const path = join(folder, name);
    try {
      return lstatSync(path).isFile() ? [readFileSync(path, "utf8")] : [];
    } catch {
      // Absent, or unreadable: then the walk takes nothing from this folder, and watching too much does no harm.
      return [];
    }
  });
}
