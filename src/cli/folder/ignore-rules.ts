import type { Dirent } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isLeftOutFolder } from "../../base/left-out-folder.ts";

/**
 * The ignore files in order of precedence: `.recollectignore` wins over the `.gitignore` beside it.
 */
export const IGNORE_FILES = [".gitignore", ".recollectignore"];
/** The folders that no rule brings back. */
export const ALWAYS_IGNORED: ReadonlySet<string> = new Set([".git", "node_modules", ".recollect"]);
/**
 * Matches temporary files that programs write beside a text file under the ending of a text file:
 * Emacs' locks, LibreOffice's locks, Word's owner files, macOS's companion files on foreign disks,
 * Syncthing's unfinished copies, JetBrains' safe writes. Most other temporary files (`.swp`,
 * `4913`, `x~`, `#x#`, `.tmp`, `.part`) do not have the ending of a text file.
 */
const TEMPORARY_FILE = /^(\.#|\.~|~\$|\._|~syncthing~)|___jb_/;

/**
 * Follows git's `core.ignoreCase`. The package's default is true everywhere, so a rule `README.md`
 * would also drop `readme.md`.
 */
const ignorecase = process.platform === "win32" || process.platform === "darwin";

/** The rules of one folder's ignore files. */
interface Scope {
  /** The folder relative to the root, with a trailing slash; empty at the top. */
  base: string;
  rules: Ignore;
}

/** All rules that apply inside a folder. */
export interface IgnoreRules {
  /** The rules of the folders, outermost folder first. */
  scopes: readonly Scope[];
  /** The patterns of the command line. As in git, they win over every ignore file. */
  commandLine: Ignore;
}

/** Returns the rules that apply before any folder is entered. */
export function startRules(patterns: readonly string[]): IgnoreRules {
  return { scopes: [], commandLine: newRules().add([...patterns]) };
}

/**
 * Returns the rules inside a folder that is not ignored itself.
 *
 * @param base the folder relative to the root, with a trailing slash; empty for the root
 * @throws when an ignore file cannot be read: a walk without its rules could send private files
 */
export async function enterFolder(
  outer: IgnoreRules,
  root: string,
  base: string,
  entries: readonly Dirent[],
): Promise<IgnoreRules> {
  const texts: string[] = [];
  for (const name of IGNORE_FILES) {
    // As in git, an ignore file that is a symbolic link is not read.
    const present = entries.some((entry) => entry.name === name && entry.isFile());
    if (present) texts.push(await readFile(join(root, base, name), "utf8"));
  }
  return addFolderRules(outer, base, texts);
}

/**
 * Returns the rules inside a folder, given the texts of its ignore files in the order of
 * `IGNORE_FILES`.
 */
export function addFolderRules(outer: IgnoreRules, base: string, texts: readonly string[]): IgnoreRules {
  const rules = newRules();
  for (const text of texts) rules.add(text);
  return { ...outer, scopes: [...outer.scopes.map((scope) => admitFolder(scope, base)), { base, rules }] };
}

/**
 * Adapts a scope that ignores a folder which a deeper ignore file includes again. Paths inside the
 * folder must be tested by their own patterns, as in git. The package would keep ignoring them
 * because their parent is ignored.
 */
function admitFolder(scope: Scope, folder: string): Scope {
  const path = folder.slice(scope.base.length);
  if (path === "" || !scope.rules.test(path).ignored) return scope;
  const literal = path.replace(/[\\*?[\]]/g, "\\$&");
  return { base: scope.base, rules: newRules().add(scope.rules).add(`!/${literal}`) };
}

/**
 * Returns the reason why an entry is left out: a rule of the user, or the default. The deepest
 * ignore file with a matching rule decides. A rule such as `!.github/` brings a folder back that is
 * left out by default.
 *
 * @param path the path; a folder's path ends in `/`
 */
export function ignoredBy(rules: IgnoreRules, name: string, path: string): "rule" | "default" | undefined {
  if (ALWAYS_IGNORED.has(name)) return "default";
  if (TEMPORARY_FILE.test(name)) return "rule";
  for (const { base, rules: scope } of [...rules.scopes, { base: "", rules: rules.commandLine }].toReversed()) {
    const { ignored, unignored } = scope.test(path.slice(base.length));
    if (ignored) return "rule";
    if (unignored) return undefined;
  }
  return path.endsWith("/") && isLeftOutFolder(path.slice(0, -1)) ? "default" : undefined;
}

/** Returns whether an entry is left out. */
export function isIgnored(rules: IgnoreRules, name: string, path: string): boolean {
  return ignoredBy(rules, name, path) !== undefined;
}

function newRules(): Ignore {
  return ignore({ ignorecase });
}
