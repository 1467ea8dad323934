import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import { agentPath, callApi } from "./api-client.ts";
import type { CliContext, Connection, RemoteOptions } from "./context.ts";
import { startProgress } from "./progress.ts";
import { sendChanges } from "./send-changes.ts";
import { reportSync, type SyncSummary } from "./sync-report.ts";
import { waitForEmbeddings } from "./wait-for-embeddings.ts";
import { type LocalFile, type Walk, walkFolder } from "./walk-folder.ts";

export interface SyncOptions extends RemoteOptions {
  dryRun?: boolean;
  wait: boolean;
  maxFileBytes: number;
  ignore: string[];
  allowEmpty?: boolean;
}

/** The absolute path of a folder named on the command line; undefined when there is no such folder. */
export async function findFolder(cwd: string, folder: string): Promise<string | undefined> {
  const root = resolve(cwd, folder);
  return (await stat(root).catch(() => undefined))?.isDirectory() ? root : undefined;
}

/**
 * `recollect sync DIR`: makes an agent's files those of a folder, sending only what differs.
 *
 * @param root absolute path of a folder that exists
 * @returns 1 when some file failed or the embeddings stalled, else 0
 */
export async function sync(context: CliContext, root: string, options: SyncOptions): Promise<number> {
  const started = performance.now();
  const connection = await context.connect(options.url === undefined ? {} : { url: options.url });
  try {
    const [walk, remote] = await Promise.all([walkFolder(root, options), remoteHashes(connection, options.agent)]);
    const changed = walk.files.filter((file) => remote.get(file.path) !== file.hash);
    const changes = { changed, gone: missingPaths(walk, remote) };
    // A mistyped or not yet mounted folder must not wipe a memory.
    if (walk.files.length === 0 && changes.gone.length > 0 && !options.allowEmpty) {
      throw new AppError(
        "invalid_request",
        `${root} has no text files and the agent has ${remote.size}; pass --allow-empty to delete them all.`,
      );
    }
    const summary = plannedSummary(options, walk, changes);
    if (!options.dryRun) await apply(context, connection, options, changes, summary);
    summary.seconds = secondsSince(started);
    const stalled = !options.dryRun && options.wait && (await wait(context, connection, options.agent, summary));
    reportSync(context, summary, options.json ?? false);
    return summary.failed.length > 0 || stalled ? 1 : 0;
  } finally {
    await connection.close();
  }
}

interface Changes {
  changed: readonly LocalFile[];
  gone: readonly string[];
}

function plannedSummary(options: SyncOptions, walk: Walk, { changed, gone }: Changes): SyncSummary {
  const dryRun = options.dryRun ?? false;
  return {
    agent: options.agent,
    dryRun,
    sent: dryRun ? changed.length : 0,
    unchanged: walk.files.length - changed.length,
    removed: dryRun ? gone.length : 0,
    chunks: 0,
    toEmbed: 0,
    embedded: 0,
    pendingEmbeddings: 0,
    seconds: 0,
    embedSeconds: 0,
    skipped: walk.skipped,
    failed: walk.failed,
    ...(dryRun ? { wouldSend: changed.map((file) => file.path), wouldRemove: [...gone] } : {}),
  };
}

/** What the server has and the folder has not; what could not be read just now is not gone. */
function missingPaths(walk: Walk, remote: ReadonlyMap<string, string>): string[] {
  const present = new Set([...walk.files, ...walk.failed].map((file) => file.path));
  const unreadFolders = walk.failed.map((failure) => failure.path).filter((path) => path.endsWith("/"));
  const isUnread = (path: string) => unreadFolders.some((folder) => folder === "./" || path.startsWith(folder));
  return [...remote.keys()].filter((path) => !present.has(path) && !isUnread(path));
}

async function remoteHashes(connection: Connection, agent: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  let cursor: string | undefined;
  try {
    do {
      const query = `files?limit=1000${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await callApi<{ files: { path: string; hash: string }[]; nextCursor?: string }>(
        connection,
        "GET",
        agentPath(agent, query),
      );
      for (const file of page.files) hashes.set(file.path, file.hash);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "agent_not_found") throw error;
  }
  return hashes;
}

async function apply(
  context: CliContext,
  connection: Connection,
  options: SyncOptions,
  changes: Changes,
  summary: SyncSummary,
): Promise<void> {
  const progress = startProgress(context.stderr, "sending", changes.changed.length + changes.gone.length);
  let done = 0;
  const advance = (count: number) => {
    done += count;
    progress.update(done);
  };
  try {
    const target = { connection, agent: options.agent, maxFileBytes: options.maxFileBytes };
    const { failed, ...counts } = await sendChanges(target, changes, advance);
    Object.assign(summary, counts, { pendingEmbeddings: counts.toEmbed, failed: [...summary.failed, ...failed] });
  } finally {
    progress.stop();
  }
}

/** @returns whether the embeddings stalled */
async function wait(
  context: CliContext,
  connection: Connection,
  agent: string,
  summary: SyncSummary,
): Promise<boolean> {
  const started = performance.now();
  const waited = await waitForEmbeddings(connection, agent, { toEmbed: summary.toEmbed, stderr: context.stderr });
  summary.embedded = waited.embedded;
  summary.pendingEmbeddings = waited.left;
  summary.embedSeconds = secondsSince(started);
  if (waited.stalled) {
    context.stderr.write(
      `No embedding was made for minutes and ${waited.left} are still to be made; is a worker running? The files are stored and found by keyword; see \`recollect status\`. (embedder_unavailable)\n`,
    );
  }
  return waited.stalled;
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
