import { AppError } from "../base/errors.ts";

/** What stands before the paths of a memory that another agent shares, such as `@handbook/`. */
export function sharedPrefix(agentId: string): string {
  return `@${agentId}/`;
}

const SHARED_PATH = /^@([^/]+)\/(.+)$/s;

/** The agent that a path names, and the path in its memory, if it shares one; undefined for a path that names none. */
export function parseSharedPath(path: string): { sharedBy: string; rest: string } | undefined {
  const [, sharedBy, rest] = SHARED_PATH.exec(path) ?? [];
  return sharedBy === undefined || rest === undefined ? undefined : { sharedBy, rest };
}

/** Whether a path is in a top-level folder whose name begins with `@`, where only memories of other agents may seem to be. */
export function isSharedPlace(path: string): boolean {
  return /^@[^/]*\//.test(path);
}

/**
 * Refuses a file where it would seem to be another agent's: also while nothing is shared, since a share may come later.
 *
 * @throws AppError `invalid_path`
 */
export function refuseSharedPlace(path: string): void {
  if (isSharedPlace(path)) throw new AppError("invalid_path", `${SHARED_PLACE_RULE} Choose another path.`);
}

/** For people who meet a path in such a folder. */
export const SHARED_PLACE_RULE =
  "Top-level folders whose names begin with '@' are reserved for memories that other agents share.";

/**
 * Whether a path of an agent's own, from before such paths were reserved, is one of a memory that it reads now: there the path means the
 * other's file.
 */
export function isOvershadowed(path: string, sharers: readonly string[]): boolean {
  const named = parseSharedPath(path);
  return named !== undefined && sharers.includes(named.sharedBy);
}

/** Whether a file is in one of the folders that are shared; without folders all are. */
export function isInFolders(path: string, folders: readonly string[]): boolean {
  return folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`));
}
