import { expandHome } from "../base/expand-home.ts";
import { absolutePathProblem, GLOB_RULE, isGlob } from "./memory-path.ts";
import { invalidSettings } from "./parse-strictly.ts";
import type { SettingsPatch } from "./settings-schema.ts";

/** A folder or file of the server whose text files are part of an agent's memory. */
export interface ExtraPath {
  readonly path: string;
  /** A glob relative to the folder; undefined: Markdown and plain text. */
  readonly pattern: string | undefined;
}

export function extraPathsOf(settings: Pick<SettingsPatch, "extraPaths">): ExtraPath[] {
  return (settings.extraPaths ?? []).map((one) =>
    typeof one === "string" ? { path: one, pattern: undefined } : { path: one.path, pattern: one.pattern },
  );
}

/** Returns the paths of the extra paths, without their patterns. */
export function foldersOf(settings: Pick<SettingsPatch, "extraPaths">): string[] {
  return extraPathsOf(settings).map((one) => one.path);
}

/** Returns whether a path is the folder or below it, judged by their spelling alone. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * Returns the folders that the operator lets settings name, without a slash at the end, and with
 * the home folder for `~`.
 *
 * @throws AppError `invalid_settings`
 */
export function parseExtraPathRoots(roots: readonly string[], place: string): string[] {
  return roots.map((given, index) => {
    const root = expandHome(given);
    const path = root.length > 1 && root.endsWith("/") ? root.slice(0, -1) : root;
    // The whole disk would include the database's password and /proc.
    const problem = path === "/" ? "is the root of the file system" : absolutePathProblem(path);
    if (problem) throw invalidSettings([`${place}[${index}]: ${problem}; use a folder such as /srv/notes`]);
    return path;
  });
}

/**
 * Returns the problems of `extraPaths` in one layer of settings. Only the spelling is checked, so
 * that the answer does not reveal what files the server's disk has. Links are checked when the path
 * is read.
 */
export function extraPathProblems(
  settings: Pick<SettingsPatch, "extraPaths">,
  roots: readonly string[],
  place: string,
): string[] {
  return extraPathsOf(settings).flatMap(({ path, pattern }, index) => {
    const at = `${place}.extraPaths[${index}]`;
    if (absolutePathProblem(path) !== undefined || !roots.some((root) => isWithin(path, root)))
      return [
        `${at}: must be an absolute path, without '.', '..' or empty segments, inside a folder that the operator allows (RECOLLECT_EXTRA_PATH_ROOTS)`,
      ];
    return pattern !== undefined && !isGlob(pattern) ? [`${at}.pattern: ${GLOB_RULE}`] : [];
  });
}

/** @throws AppError `invalid_settings`, naming each entry that is not allowed */
export function checkExtraPaths(settings: Pick<SettingsPatch, "extraPaths">, roots: readonly string[]): void {
  const problems = extraPathProblems(settings, roots, "settings");
  if (problems.length > 0) throw invalidSettings(problems);
}
