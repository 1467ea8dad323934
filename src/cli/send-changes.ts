import { readFile } from "node:fs/promises";
import { AppError } from "../base/errors.ts";
import { agentPath, callApi } from "./api-client.ts";
import type { Connection } from "./context.ts";
import { inParallel } from "./in-parallel.ts";
import { type LocalFile, reasonOf, type SkippedFile, textProblem } from "./walk-folder.ts";

/** Limits of one batch request: the server takes 100 files and 8 MB of JSON, in which a character may need six bytes. */
const BATCH_FILES = 64;
const BATCH_BYTES = 1_000_000;
const BATCH_DELETES = 100;
/** Batches on their way at once: the next is read and parsed while the server stores the last. */
const IN_FLIGHT = 4;
/** Refusals that one file of a batch can cause for all of it; others would come back for every file. */
const ABOUT_A_FILE = new Set(["invalid_path", "invalid_request", "invalid_encoding", "payload_too_large"]);

export interface Sent {
  sent: number;
  removed: number;
  chunks: number;
  /** Chunks the server still has to embed. */
  toEmbed: number;
  /** Files that could not be read again or that the server refused. */
  failed: SkippedFile[];
}

interface Written {
  files: { chunks: number; pendingEmbeddings: number }[];
  deleted: string[];
}

interface Put {
  path: string;
  content: string;
  mtime: string;
}

interface Target {
  connection: Connection;
  agent: string;
  maxFileBytes: number;
}

/**
 * Sends the changed files, then deletes the gone ones: in this order a renamed file is never missing from a search.
 *
 * @param advance called with the number of files that were dealt with
 * @throws AppError when the service cannot be reached or refuses for a reason that is no single file's
 */
export async function sendChanges(
  target: Target,
  changes: { changed: readonly LocalFile[]; gone: readonly string[] },
  advance: (count: number) => void,
): Promise<Sent> {
  const sent: Sent = { sent: 0, removed: 0, chunks: 0, toEmbed: 0, failed: [] };
  const puts = batchesOf(changes.changed).map((batch) => async () => {
    await putFiles(target, await readAgain(target, batch, sent), sent);
    advance(batch.length);
  });
  await inParallel(puts, IN_FLIGHT);
  const deletes = slicesOf(changes.gone, BATCH_DELETES).map((paths) => async () => {
    await callApi<Written>(target.connection, "POST", agentPath(target.agent, "files"), { delete: paths });
    sent.removed += paths.length;
    advance(paths.length);
  });
  await inParallel(deletes, IN_FLIGHT);
  return sent;
}

/** Contents are read again rather than kept since the walk, which would hold a large folder in memory. */
async function readAgain(target: Target, batch: readonly LocalFile[], sent: Sent): Promise<Put[]> {
  const puts: Put[] = [];
  for (const { path, absolute, mtime } of batch) {
    try {
      const bytes = await readFile(absolute);
      const problem = await textProblem(bytes, target.maxFileBytes);
      if (problem !== undefined) throw new Error(problem);
      // A byte order mark stays: the server's hash is that of the file as it is.
      const content = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      puts.push({ path, content, mtime: mtime.toISOString() });
    } catch (error) {
      sent.failed.push({ path, reason: `changed while syncing: ${reasonOf(error)}` });
    }
  }
  return puts;
}

/** A batch is all or nothing, so one refused file would keep out its neighbours: halve until it stands alone, and name it. */
async function putFiles(target: Target, put: readonly Put[], sent: Sent): Promise<void> {
  const [only] = put;
  if (only === undefined) return;
  try {
    const path = agentPath(target.agent, "files");
    const written = await callApi<Written>(target.connection, "POST", path, { put });
    sent.sent += put.length;
    for (const file of written.files) {
      sent.chunks += file.chunks;
      sent.toEmbed += file.pendingEmbeddings;
    }
  } catch (error) {
    if (!(error instanceof AppError) || !ABOUT_A_FILE.has(error.code)) throw error;
    if (put.length === 1) {
      sent.failed.push({ path: only.path, reason: `${error.message} (${error.code})` });
      return;
    }
    const middle = Math.ceil(put.length / 2);
    await putFiles(target, put.slice(0, middle), sent);
    await putFiles(target, put.slice(middle), sent);
  }
}

/** Files in order, cut where the next would take a batch over its limits. */
export function batchesOf(files: readonly LocalFile[]): LocalFile[][] {
  const batches: LocalFile[][] = [];
  let bytes = 0;
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

function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
