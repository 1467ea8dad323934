import type { Dirent } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";

/** In order of precedence: what `.recollectignore` says wins over the `.gitignore` beside it. */
export const IGNORE_FILES = [".gitignore", ".recollectignore"];
const ALWAYS_IGNORED = new Set([".git", "node_modules", ".recollect"]);
/**
 * What programs write beside a text file under the ending of one: Emacs' locks, LibreOffice's locks, Word's owner files,
 * the doubles of macOS on foreign disks, Syncthing's unfinished copies, JetBrains' safe writes. Most others (`.swp`,
 * `4913`, `x~`, `#x#`, `.tmp`, `.part`) do not end as a text file does.
 */
const TEMPORARY_FILE = /^(\.#|\.~|~\$|\._|~syncthing~)|___jb_/;

/** As git's `core.ignoreCase`: the package's default, true everywhere, would drop `readme.md` for a rule `README.md`. */
const ignorecase = process.platform === "win32" || process.platform === "darwin";

/** The rules of one folder's ignore files. */
interface Scope {
  /** The folder, relative, with a trailing slash; empty at the top. */
  base: string;
  rules: Ignore;
}

/** All rules that apply inside a folder. */
export interface IgnoreRules {
  /** Outermost first. */
  scopes: readonly Scope[];
  /** Patterns of the command line, which win over every file, as in git. */
  commandLine: Ignore;
}

/** The rules before any folder is entered. */
export function startRules(patterns: readonly string[]): IgnoreRules {
  return { scopes: [], commandLine: newRules().add([...patterns]) };
}

/**
 * The rules inside a folder that is itself not ignored.
 *
 * @param base the folder relative to the root, with a trailing slash; empty for the root
 * @throws when an ignore file cannot be read; walking on without it could send what it keeps private
 */
export async function enterFolder(
  outer: IgnoreRules,
  root: string,
  base: string,
  entries: readonly Dirent[],
): Promise<IgnoreRules> {
  const texts: string[] = [];
  for (const name of IGNORE_FILES) {
    // Not followed when it is a symbolic link, as in git.
    const present = entries.some((entry) => entry.name === name && entry.isFile());
    if (present) texts.push(await readFile(join(root, base, name), "utf8"));
  }
  return addFolderRules(outer, base, texts);
}

/** The same from the texts of the folder's ignore files, in order of `IGNORE_FILES`. */
export function addFolderRules(outer: IgnoreRules, base: string, texts: readonly string[]): IgnoreRules {
  const rules = newRules();
  for (const text of texts) rules.add(text);
  return { ...outer, scopes: [...outer.scopes.map((scope) => admitFolder(scope, base)), { base, rules }] };
}

/**
 * A scope whose rules ignore a folder that a deeper ignore file brought back must judge what is inside by that path's own
 * patterns; the package would go on refusing everything because of the parent. git does the former.
 */
function admitFolder(scope: Scope, folder: string): Scope {
  const path = folder.slice(scope.base.length);
  if (path === "" || !scope.rules.test(path).ignored) return scope;
  const literal = path.replace(/[\\*?[\]]/g, "\\$&");
  return { base: scope.base, rules: newRules().add(scope.rules).add(`!/${literal}`) };
}

/** Whether an entry is left out. The deepest ignore file that says something decides. @param path a folder's ends in `/` */
export function isIgnored(rules: IgnoreRules, name: string, path: string): boolean {
  if (ALWAYS_IGNORED.has(name) || TEMPORARY_FILE.test(name)) return true;
  for (const { base, rules: scope } of [...rules.scopes, { base: "", rules: rules.commandLine }].toReversed()) {
    const { ignored, unignored } = scope.test(path.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

function newRules(): Ignore {
  return ignore({ ignorecase });
}
