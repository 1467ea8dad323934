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

/** Whether a file is in one of the folders that are shared; without folders all are. */
export function isInFolders(path: string, folders: readonly string[]): boolean {
  return folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`));
}
