import { AppError } from "../base/errors.ts";
import { agentPath, callApi } from "./api-client.ts";
import type { Connection } from "./context.ts";
import type { LocalFile, Walk } from "./walk-folder.ts";

/** Which files of a folder are an agent's, and where. */
export interface Selection {
  ignore: readonly string[];
  maxFileBytes: number;
  /** The folder's place in the memory, with a trailing slash; empty for the top. Nothing outside it is touched. */
  prefix: string;
  allowEmpty?: boolean;
}

export interface Changes {
  /** Files that the server has not, or has otherwise. */
  changed: readonly LocalFile[];
  /** Paths that the server has and the folder has not. */
  gone: readonly string[];
}

/** How a folder differs from what the server has of it; what could not be read just now is not gone. */
export function compareFiles(walk: Walk, remote: ReadonlyMap<string, string>): Changes {
  const present = new Set([...walk.files, ...walk.failed].map((file) => file.path));
  const unreadFolders = walk.failed.map((failure) => failure.path).filter((path) => path.endsWith("/"));
  const isUnread = (path: string) => unreadFolders.some((folder) => folder === "./" || path.startsWith(folder));
  return {
    changed: walk.files.filter((file) => remote.get(file.path) !== file.hash),
    gone: [...remote.keys()].filter((path) => !present.has(path) && !isUnread(path)),
  };
}

/**
 * The hash of every file an agent has under a prefix, by path; none of an agent that does not exist yet. Those with absolute
 * paths are left out: they are of folders of the server, which it syncs by itself.
 */
export async function remoteHashes(
  connection: Connection,
  agent: string,
  prefix: string,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  let cursor: string | undefined;
  try {
    do {
      const place = prefix === "" ? "" : `&prefix=${encodeURIComponent(prefix)}`;
      const query = `files?limit=1000${place}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await callApi<{ files: { path: string; hash: string }[]; nextCursor?: string }>(
        connection,
        "GET",
        agentPath(agent, query),
        undefined,
        { signal },
      );
      for (const file of page.files) if (!file.path.startsWith("/")) hashes.set(file.path, file.hash);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "agent_not_found") throw error;
  }
  return hashes;
}
