import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { originOf } from "../../../src/cli/folder/origin-of.ts";
import type { AgentClient, FileInput } from "../../../src/client/client.ts";
import type { Memory } from "./memory.ts";
import { isAbsent, isWalked, type WorkspaceFile, walkMemory } from "./walk-memory.ts";

/** The outcome of a sync of the files. */
export interface SyncedFiles {
  files: number;
  sent: number;
  removed: number;
  /** Why nothing more was sent. */
  problem?: string;
}

/** Keeps Recollect's copies of memory files equal to the files in OpenClaw's workspaces. */
export interface FileSync {
  /**
   * Sends what has changed in a workspace. If nothing has changed, it only lists the folder. Calls
   * that overlap share one run, which may take minutes. Never rejects.
   */
  sync(agentId: string, workspace: string): Promise<SyncedFiles>;
}

/** The stamps of the files of a workspace that the server has, by path. */
type Sent = Map<string, string>;

/** The limits of one request of the server: 100 files, 8 MB. Escaped text may be longer than the file. */
const MAX_BATCH_FILES = 100;
const MAX_BATCH_BYTES = 2_000_000;
/** The server refuses longer texts. */
const MAX_FILE_BYTES = 4_000_000;
/** The first sync of a workspace may have thousands of files. No turn waits for its end. */
const LIMIT_MS = 120_000;

/**
 * Makes the sync.
 *
 * @param warn says what the user should know, such as a file that someone else has changed
 */
export function createFileSync(memory: Memory, warn: (message: string) => void): FileSync {
  const known = new Map<string, Sent>();
  const running = new Map<string, Promise<SyncedFiles>>();
  const told = new Set<string>();
  const warnOnce = (message: string) => {
    if (told.has(message)) return;
    told.add(message);
    warn(message);
  };

  const compare = async (agentId: string, workspace: string): Promise<SyncedFiles> => {
    const place = JSON.stringify([agentId, workspace]);
    const files = (await walkMemory(workspace)).filter((file) => isSmall(file, warnOnce));
    const found = { files: files.length, sent: 0, removed: 0 };
    const before = known.get(place);
    if (before ? isSame(files, before) : files.length === 0) return found;
    const sent: Sent = before ?? new Map();
    const delivery = { origin: await originOf(workspace, ""), files, sent, isFirst: !before, warn: warnOnce };
    const asked = await memory.ask(agentId, (client) => send(client, delivery), { timeoutMs: LIMIT_MS });
    if ("refused" in asked) warnOnce(`The files of ${workspace} are not stored. ${asked.refused}`);
    if (!("answer" in asked)) return { ...found, problem: "away" in asked ? asked.away : asked.refused };
    known.set(place, sent);
    return { ...found, ...asked.answer };
  };
  const run = async (agentId: string, workspace: string): Promise<SyncedFiles> => {
    try {
      return await compare(agentId, workspace);
    } catch (error) {
      const problem = `The files of ${workspace} could not be read: ${error instanceof Error ? error.message : error}`;
      warnOnce(problem);
      return { files: 0, sent: 0, removed: 0, problem };
    }
  };
  return {
    sync: (agentId, workspace) => {
      const place = JSON.stringify([agentId, workspace]);
      const already = running.get(place);
      if (already) return already;
      const one = run(agentId, workspace).finally(() => running.delete(place));
      running.set(place, one);
      return one;
    },
  };
}

interface Delivery {
  origin: string;
  files: readonly WorkspaceFile[];
  sent: Sent;
  /** Whether this process has not yet compared the workspace with the server. */
  isFirst: boolean;
  warn(message: string): void;
}

async function send(client: AgentClient, { origin, files, sent, isFirst, warn }: Delivery) {
  const remote = isFirst ? await hashesOf(client, origin) : undefined;
  const changed = files.filter(({ path, stamp }) => sent.get(path) !== stamp);
  const here = new Set(files.map(({ path }) => path));
  const gone = [...(remote?.keys() ?? sent.keys())].filter((path) => isWalked(path) && !here.has(path));
  let count = 0;
  let batch: { file: WorkspaceFile; input: FileInput }[] = [];
  let bytes = 0;
  const flush = async (deleted: readonly string[] = []) => {
    count += await write(client, { origin, batch: batch.map(({ input }) => input), deleted, warn });
    for (const { file } of batch) sent.set(file.path, file.stamp);
    for (const path of deleted) sent.delete(path);
    batch = [];
    bytes = 0;
  };
  for (const file of changed) {
    const content = await textOf(file);
    if (content === undefined) continue;
    if (remote?.get(file.path) === createHash("sha256").update(content).digest("hex")) {
      sent.set(file.path, file.stamp);
      continue;
    }
    if (batch.length >= MAX_BATCH_FILES || bytes + file.size > MAX_BATCH_BYTES) await flush();
    batch.push({ file, input: { path: file.path, content, mtime: new Date(file.mtimeMs).toISOString() } });
    bytes += file.size;
  }
  if (batch.length > 0) await flush();
  for (let from = 0; from < gone.length; from += MAX_BATCH_FILES) await flush(gone.slice(from, from + MAX_BATCH_FILES));
  return { sent: count, removed: gone.length };
}

/**
 * Sends one batch. Does not overwrite files that other programs have sent to the same paths, because
 * their texts would be lost.
 *
 * @returns the number of files that were sent
 */
async function write(
  client: AgentClient,
  {
    origin,
    batch,
    deleted,
    warn,
  }: { origin: string; batch: readonly FileInput[]; deleted: readonly string[]; warn(message: string): void },
): Promise<number> {
  if (batch.length === 0 && deleted.length === 0) return 0;
  try {
    await client.files.write({ put: batch, delete: deleted, origin });
    return batch.length;
  } catch (error) {
    const { code, details } = error as { code?: unknown; details?: { paths?: unknown } };
    const paths = code === "origin_conflict" && Array.isArray(details?.paths) ? details.paths : [];
    if (paths.length === 0) throw error;
    warn(
      `Recollect has another text at ${paths.join(", ")}, which another program has written. The plugin does not ` +
        "overwrite it; delete it in Recollect to use OpenClaw's text.",
    );
    const rest = {
      origin,
      batch: batch.filter(({ path }) => !paths.includes(path)),
      deleted: deleted.filter((path) => !paths.includes(path)),
      warn,
    };
    if (rest.batch.length + rest.deleted.length === batch.length + deleted.length) throw error;
    return await write(client, rest);
  }
}

/** Returns the hashes of the origin's files on the server, by path. */
async function hashesOf(client: AgentClient, origin: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  try {
    for await (const { path, hash } of client.files.all({ origin })) hashes.set(path, hash);
  } catch (error) {
    // The first write creates the agent.
    if ((error as { code?: unknown }).code !== "agent_not_found") throw error;
  }
  return hashes;
}

async function textOf(file: WorkspaceFile): Promise<string | undefined> {
  try {
    return (await readFile(file.absolute, "utf8")).replaceAll("\u0000", "\ufffd");
  } catch (error) {
    // The file was deleted since the walk. The next sync sees that.
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function isSame(files: readonly WorkspaceFile[], sent: Sent): boolean {
  return files.length === sent.size && files.every(({ path, stamp }) => sent.get(path) === stamp);
}

function isSmall(file: WorkspaceFile, warn: (message: string) => void): boolean {
  if (file.size <= MAX_FILE_BYTES) return true;
  warn(`${file.path} is longer than ${MAX_FILE_BYTES / 1_000_000} MB and is not in the memory.`);
  return false;
}
