import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../base/errors.ts";
import { agentPath, callApi } from "./api-client.ts";
import type { CliContext, Connection, RemoteOptions } from "./context.ts";
import { startProgress } from "./progress.ts";
import { type LocalFile, type SkippedFile, textProblem, type Walk, walkFolder } from "./walk-folder.ts";

export interface SyncOptions extends RemoteOptions {
  dryRun?: boolean;
  wait: boolean;
  maxFileBytes: number;
  ignore: string[];
  allowEmpty?: boolean;
}

interface Written {
  files: { status: "created" | "updated" | "unchanged"; chunks: number; pendingEmbeddings: number }[];
  deleted: string[];
}

interface Summary {
  sent: number;
  unchanged: number;
  removed: number;
  chunks: number;
  toEmbed: number;
  seconds: number;
  embedSeconds: number;
  skipped: SkippedFile[];
  failed: SkippedFile[];
}

/** Limits of one batch request: the server takes 100 files and 8 MB of JSON, in which a character may need six bytes. */
const BATCH_FILES = 64;
const BATCH_BYTES = 1_000_000;
/** Batches on their way at once: the next is read and parsed while the server stores the last. */
const IN_FLIGHT = 4;

/** `recollect sync DIR`: makes an agent's files those of a folder, sending only what differs. */
export async function sync(context: CliContext, folder: string, options: SyncOptions): Promise<number> {
  const root = resolve(context.cwd, folder);
  if (!(await stat(root).catch(() => undefined))?.isDirectory()) {
    throw new AppError("invalid_request", `${folder} is not a folder.`);
  }
  const started = performance.now();
  const connection = await context.connect(options.url === undefined ? {} : { url: options.url });
  try {
    const [walk, remote] = await Promise.all([walkFolder(root, options), remoteHashes(connection, options.agent)]);
    if (walk.files.length === 0 && remote.size > 0 && !options.allowEmpty) {
      throw new AppError(
        "invalid_request",
        `${folder} has no text files, and the agent has ${remote.size}; pass --allow-empty to delete them all.`,
      );
    }
    const changed = walk.files.filter((file) => remote.get(file.path) !== file.hash);
    const gone = missingPaths(walk, remote);
    const summary: Summary = {
      sent: changed.length,
      unchanged: walk.files.length - changed.length,
      removed: gone.length,
      chunks: 0,
      toEmbed: 0,
      seconds: 0,
      embedSeconds: 0,
      skipped: walk.skipped,
      failed: walk.failed,
    };
    if (!options.dryRun) await apply(context, connection, options, { changed, gone }, summary);
    summary.seconds = (performance.now() - started) / 1000;
    if (!options.dryRun && options.wait && summary.toEmbed > 0)
      summary.embedSeconds = await waitForEmbeddings(context, connection, options.agent);
    report(context, options, summary);
    return summary.failed.length > 0 ? 1 : 0;
  } finally {
    await connection.close();
  }
}

/** What the server has and the folder has not; a file that could not be read just now is not gone. */
function missingPaths(walk: Walk, remote: ReadonlyMap<string, string>): string[] {
  const present = new Set(walk.files.map((file) => file.path));
  const unread = walk.failed.map((failure) => failure.path);
  return [...remote.keys()].filter(
    (path) =>
      !present.has(path) && !unread.some((failed) => path === failed || failed === "." || path.startsWith(failed)),
  );
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
  work: { changed: readonly LocalFile[]; gone: readonly string[] },
  summary: Summary,
): Promise<void> {
  const progress = startProgress(context.stderr, "sending", work.changed.length + work.gone.length);
  let done = 0;
  const advance = (count: number) => {
    done += count;
    progress.update(done);
  };
  const jobs = [
    ...batchesOf(work.changed).map((batch) => async () => {
      await send(connection, options.agent, batch, summary);
      advance(batch.length);
    }),
    ...chunksOf(work.gone, 100).map((paths) => async () => {
      await callApi<Written>(connection, "POST", agentPath(options.agent, "files"), { delete: paths });
      advance(paths.length);
    }),
  ];
  try {
    await inParallel(jobs, IN_FLIGHT);
  } finally {
    progress.stop();
  }
}

async function send(
  connection: Connection,
  agent: string,
  batch: readonly LocalFile[],
  summary: Summary,
): Promise<void> {
  const put: { path: string; content: string; mtime: string }[] = [];
  for (const file of batch) {
    // Read again rather than kept since the walk, which would hold a large folder in memory.
    const bytes = await readFile(file.absolute).catch((error: { code?: string }) => error.code ?? "unreadable");
    const problem = typeof bytes === "string" ? bytes : await textProblem(bytes);
    if (typeof bytes === "string" || problem !== undefined) {
      summary.failed.push({ path: file.path, reason: `changed while syncing: ${problem}` });
      summary.sent--;
      continue;
    }
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    put.push({ path: file.path, content, mtime: file.mtime.toISOString() });
  }
  if (put.length === 0) return;
  const written = await callApi<Written>(connection, "POST", agentPath(agent, "files"), { put });
  for (const file of written.files) {
    summary.chunks += file.chunks;
    summary.toEmbed += file.pendingEmbeddings;
  }
}

function batchesOf(files: readonly LocalFile[]): LocalFile[][] {
  const batches: LocalFile[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const file of files) {
    const current = batches.at(-1);
    if (!current || current.length === BATCH_FILES || bytes + file.size > BATCH_BYTES) {
      batches.push([file]);
      bytes = file.size;
    } else {
      current.push(file);
      bytes += file.size;
    }
  }
  return batches;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

async function inParallel(jobs: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const queue = jobs.values();
  const worker = async () => {
    for (const job of queue) await job();
  };
  await Promise.all(Array.from({ length: Math.min(limit, jobs.length) }, worker));
}

async function waitForEmbeddings(context: CliContext, connection: Connection, agent: string): Promise<number> {
  const started = performance.now();
  const pending = async () =>
    (await callApi<{ pendingEmbeddings: number }>(connection, "GET", agentPath(agent, "status"))).pendingEmbeddings;
  const total = await pending();
  const progress = startProgress(context.stderr, "embedding", total);
  try {
    for (let left = total, waitMs = 250; left > 0; left = await pending()) {
      progress.update(total - left);
      await sleep(waitMs);
      waitMs = Math.min(2000, waitMs * 1.5);
    }
  } finally {
    progress.stop();
  }
  return (performance.now() - started) / 1000;
}

function report(context: CliContext, options: SyncOptions, summary: Summary): void {
  if (options.json) {
    context.stdout.write(`${JSON.stringify(summary)}\n`);
    return;
  }
  const named = (label: string, files: readonly SkippedFile[]) =>
    files.map((file) => `${label} ${file.path}: ${file.reason}\n`).join("");
  context.stdout.write(named("skipped", summary.skipped) + named("failed", summary.failed));
  const verb = options.dryRun ? "would send" : "sent";
  const parts = [
    `${verb} ${summary.sent}`,
    `unchanged ${summary.unchanged}`,
    `removed ${summary.removed}`,
    `skipped ${summary.skipped.length}`,
    ...(summary.failed.length > 0 ? [`failed ${summary.failed.length}`] : []),
    `chunks ${summary.chunks}`,
    `${summary.seconds.toFixed(1)} s`,
    ...(summary.embedSeconds > 0 ? [`embedded ${summary.toEmbed} in ${summary.embedSeconds.toFixed(1)} s more`] : []),
  ];
  context.stdout.write(`${parts.join(" · ")}\n`);
}
