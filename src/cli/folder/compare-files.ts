import { AppError } from "../../base/errors.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import { PAGE_ROWS } from "../shell/call.ts";
import { codeOf } from "../shell/problem.ts";
import type { LocalFile, Walk } from "./walk-folder.ts";

/** Which files of a folder are an agent's, and where. */
export interface Selection {
  ignore: readonly string[];
  maxFileBytes: number;
  /** The folder's place in the memory, with a trailing slash; empty for the top. Nothing outside it is touched. */
  prefix: string;
  allowEmpty?: boolean;
  /** The name by which the folder's files are known to be its own; made of the folder without it. */
  origin?: string;
  /** Whether files that others wrote are replaced by those of the folder at their paths. */
  takeOver?: boolean;
}

export interface RemoteFile {
  /** Of a document that of the document, not of its text. */
  hash: string;
  /** Which folder sent it as it is; null when an agent or program wrote it. */
  origin: string | null;
}

/** Whose files a command changes. */
export interface Owner {
  origin: string;
  takeOver: boolean;
}

/** A file that is not the folder's own. */
export interface OthersFile {
  path: string;
  origin: string | null;
}

export interface Changes {
  /** Files that the server has not, or has otherwise. */
  changed: readonly LocalFile[];
  /** Files that the server has as they are, and not as the folder's own, which they become. */
  adopted: readonly LocalFile[];
  /** Paths that the server has of the folder and the folder has not. */
  gone: readonly string[];
  /** Files that the server has otherwise, by others: they stay so. */
  conflicts: readonly OthersFile[];
  /** Files that another folder sent, as this one has them too. */
  shared: readonly OthersFile[];
  /** Files of others that the folder has not. */
  others: readonly OthersFile[];
}

/** How a folder differs from what the server has of it; what could not be read just now is not gone. */
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

/** Why a file of others is not replaced. */
export function conflictReason(origin: string | null): string {
  return origin === null ? "an agent or program has written it otherwise" : `${origin} has sent it otherwise`;
}

/**
 * Makes sure that the server knows whose files are whose: an older one would delete others' like the folder's own.
 *
 * @throws AppError `invalid_request` when it does not
 */
export async function requireOrigins(memory: AgentClient, description: string): Promise<void> {
  try {
    await memory.files.origins();
  } catch (error) {
    const code = codeOf(error);
    if (code === "not_found")
      throw new AppError(
        "invalid_request",
        `${description} is older than this command and cannot tell this folder's files from others; upgrade it. Nothing was changed.`,
      );
    if (code !== "agent_not_found") throw error;
  }
}

/**
 * Every file that an agent has under a prefix, by path; none of an agent that does not exist yet. Those with absolute
 * paths are left out: they are of folders of the server, which it syncs by itself.
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
