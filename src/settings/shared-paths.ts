import { AppError } from "../base/errors.ts";

/** Returns the prefix of the paths of a memory that another agent shares, such as `@handbook/`. */
export function sharedPrefix(agentId: string): string {
  return `@${agentId}/`;
}

const SHARED_PATH = /^@([^/]+)\/(.+)$/s;

/**
 * Splits a path into the agent that it names and the path in that agent's memory; returns undefined
 * for a path that names no agent. It does not check whether the agent shares its memory.
 */
export function parseSharedPath(path: string): { sharedBy: string; rest: string } | undefined {
  const [, sharedBy, rest] = SHARED_PATH.exec(path) ?? [];
  return sharedBy === undefined || rest === undefined ? undefined : { sharedBy, rest };
}

/**
 * Returns whether a path is in a top-level folder whose name begins with `@`, where only files of
 * other agents' shared memories may seem to be.
 */
export function isSharedPlace(path: string): boolean {
  return /^@[^/]*\//.test(path);
}

/**
 * Refuses a path at which a file would seem to be another agent's. This also holds while nothing is
 * shared, because a share may come later.
 *
 * @throws AppError `invalid_path`
 */
export function refuseSharedPlace(path: string): void {
  if (isSharedPlace(path)) throw new AppError("invalid_path", `${SHARED_PLACE_RULE} Choose another path.`);
}

/** The rule for people who meet a path in such a folder. */
export const SHARED_PLACE_RULE =
  "Top-level folders whose names begin with '@' are reserved for memories that other agents share.";

/**
 * Returns whether a path of the agent's own memory looks like a path of a memory that the agent
 * reads now. Such a path was written before these paths were reserved, and it now means the other
 * agent's file.
 */
export function isOvershadowed(path: string, sharers: readonly string[]): boolean {
  const named = parseSharedPath(path);
  return named !== undefined && sharers.includes(named.sharedBy);
}

/**
 * Returns whether a file is in one of the shared folders; if no folders are named, all files are
 * shared.
 */
export function isInFolders(path: string, folders: readonly string[]): boolean {
  return folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`));
}
