import { AppError } from "../../base/errors.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import { PAGE_ROWS } from "../shell/call.ts";
import { codeOf } from "../shell/problem.ts";
import type { LocalFile, Walk } from "./walk-folder.ts";

/** The choice of the files that a folder sends, and their place in the agent's memory. */
export interface Selection {
  ignore: readonly string[];
  maxFileBytes: number;
  /**
   * The folder's place in the memory, with a trailing slash; empty for the top. The command changes
   * nothing outside this place.
   */
  prefix: string;
  allowEmpty?: boolean;
  /** The name that marks files as the folder's own; default: a name derived from the folder. */
  origin?: string;
  /** Whether the folder's files replace files that others wrote at the same paths. */
  takeOver?: boolean;
}

export interface RemoteFile {
  /**
   * The SHA-256 of the file's bytes. For a document, this is the hash of the document, not of its
   * text.
   */
  hash: string;
  /** The origin that sent the current content; null when an agent or program wrote it. */
  origin: string | null;
}

/** The origin that a command acts for, and whether it takes over files of others. */
export interface Owner {
  origin: string;
  takeOver: boolean;
}

/** A file that does not belong to this folder's origin. */
export interface OthersFile {
  path: string;
  origin: string | null;
}

export interface Changes {
  /** Files that are missing on the server, or have other content there. */
  changed: readonly LocalFile[];
  /**
   * Files with the same content on the server that are not yet the folder's own. A sync makes them
   * the folder's own.
   */
  adopted: readonly LocalFile[];
  /** Paths of the folder's own files on the server that no longer exist in the folder. */
  gone: readonly string[];
  /** Files for which the server has other content, written by others. They stay unchanged. */
  conflicts: readonly OthersFile[];
  /** Files with the same content that another folder has sent. */
  shared: readonly OthersFile[];
  /** Files of others that do not exist in the folder. */
  others: readonly OthersFile[];
}

/**
 * Compares a folder with the server's files. A file that could not be read at the moment does not
 * count as gone.
 */
export function compareFiles(
  walk: Walk,
  remote: ReadonlyMap<string, RemoteFile>,
  { origin, takeOver }: Owner,
): Changes {
  const present = new Set([...walk.files, ...walk.failed].map((file) => file.path));
  const unreadFolders = walk.failed.map((failure) => failure.path).filter((path) => path.endsWith("/"));
  const isUnread = (path: string) => unreadFolders.some((folder) => folder === "./" || path.startsWith(folder));
  const missing = [...remote].filter(([path]) => !present.has(path) && !isUnread(path));
  const [changed, adopted]: [LocalFile[], LocalFile[]] = [[], []];
  const [conflicts, shared]: [OthersFile[], OthersFile[]] = [[], []];
  for (const file of walk.files) {
    const stored = remote.get(file.path);
    const isSame = stored?.hash === file.hash;
    if (!stored || stored.origin === origin || takeOver) {
      if (!isSame) changed.push(file);
      else if (stored.origin !== origin) adopted.push(file);
    } else if (!isSame) conflicts.push({ path: file.path, origin: stored.origin });
    else if (stored.origin === null) adopted.push(file);
    else shared.push({ path: file.path, origin: stored.origin });
  }
  return {
    changed,
    adopted,
    conflicts,
    shared,
    gone: missing.flatMap(([path, file]) => (file.origin === origin ? [path] : [])),
    others: missing.flatMap(([path, file]) => (file.origin === origin ? [] : [{ path, origin: file.origin }])),
  };
}

/** Returns the reason why a file of others is not replaced. */
export function conflictReason(origin: string | null): string {
  return origin === null ? "an agent or program has written another text" : `${origin} has sent another text`;
}

/**
 * Checks that the server knows origins. An older server would delete files of others as if they
 * were the folder's own.
 *
 * @throws AppError `invalid_request` when the server does not know origins
 */
export async function requireOrigins(memory: AgentClient, description: string): Promise<void> {
  try {
    await memory.files.origins();
  } catch (error) {
    const code = codeOf(error);
    if (code === "not_found" || code === "method_not_allowed")
      throw new AppError(
        "invalid_request",
        `${description} is older than this command and cannot tell this folder's files from others; upgrade it. Nothing was changed.`,
      );
    if (code !== "agent_not_found") throw error;
  }
}

/**
 * Returns all of an agent's files under a prefix, by path, or none if the agent does not exist yet.
 * Files with absolute paths are left out: they belong to folders on the server, which the server
 * syncs itself.
 */
export async function remoteFiles(memory: AgentClient, prefix: string): Promise<Map<string, RemoteFile>> {
  const found = new Map<string, RemoteFile>();
  try {
    for await (const { path, hash, origin, original } of memory.files.all({
      limit: PAGE_ROWS,
      prefix: prefix || undefined,
    }))
      if (!path.startsWith("/")) found.set(path, { hash: original?.hash ?? hash, origin });
  } catch (error) {
    if (codeOf(error) !== "agent_not_found") throw error;
  }
  return found;
}
