import { readFile } from "node:fs/promises";
import { matchesGlob } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalFile, reasonOf, walkFolder } from "../../cli/folder/walk-folder.ts";
import { withMemory } from "../../cli/shell/connected.ts";
import type { CliContext } from "../../cli/shell/context.ts";
import { stoppable } from "../../cli/shell/interrupted.ts";
import { createNoWorkerNotice } from "../../cli/shell/no-worker.ts";
import { paint } from "../../cli/shell/paint.ts";
import { printableLine } from "../../cli/shell/printable.ts";
import { codeOf } from "../../cli/shell/problem.ts";
import { type Progress, startProgress } from "../../cli/shell/progress.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { IngestedText, IngestStatus } from "../../client/client.ts";
import { DEFAULT_PATHS, type IngestOptions } from "./ingest-options.ts";

/**
 * The largest file. The server accepts texts of 200,000 characters, and a file has no more
 * characters than bytes.
 */
const MAX_FILE_BYTES = 200_000;
const ASK_EVERY_MS = 500;
/**
 * The time without progress after which the command stops waiting. Then either no worker runs, or
 * the model does not answer.
 */
const STALL_MS = 120_000;

interface FoundFact {
  path: string;
  startLine: number;
  text: string;
}

/** The result of `ingest` for a folder or for the agent's own files. */
interface Summary {
  state: "done" | "running" | "failed" | "none";
  dryRun: boolean;
  files: number;
  /**
   * The number of pieces that were sent to the model. `known` counts the pieces that an earlier run
   * sent, and `refused` the pieces that the model refused.
   */
  asked: number;
  known: number;
  refused: number;
  stored: number;
  duplicates: number;
  dropped: number;
  found: FoundFact[];
  failed: { path: string; reason: string }[];
}

type RunStatus = { [Name in keyof IngestStatus]-?: Exclude<IngestStatus[Name], undefined> };

/**
 * Splits the globs of `--paths`, given as `--paths "skills/**" "*.md"` or separated by commas as in
 * an OpenClaw setting.
 */
export function globsOf(given: readonly string[]): string[] {
  return given.flatMap((one) => (one.includes("{") ? [one] : one.split(","))).flatMap((one) => one.trim() || []);
}

/**
 * Runs `recollect ingest DIR`. Turns the matching files of a folder into facts, without storing
 * them as files of the agent.
 *
 * @param root absolute path of a folder that exists
 * @returns 1 when a file failed, else 0
 */
export function ingestFolder(context: CliContext, root: string, options: IngestOptions): Promise<number> {
  const read = { done: 0, files: 0 };
  const sentence = () =>
    `Stopped after ${read.done} of ${read.files} files; the same command goes on, and sends no piece again that the model has read.`;
  const run = (signal: AbortSignal) => ingestAll(context, root, options, { read, signal });
  return stoppable(context, options.json ?? false, sentence, run);
}

function ingestAll(
  context: CliContext,
  root: string,
  options: IngestOptions,
  { read, signal }: { read: { done: number; files: number }; signal: AbortSignal },
): Promise<number> {
  const ifMissing = options.dryRun ? "in memory" : "create";
  return withMemory(context, { ...options, ifMissing }, async (known, { client }) => {
    const memory = client.agent(known.id, { signal });
    const globs = globsOf(options.paths ?? DEFAULT_PATHS);
    const walk = await walkFolder(root, { ignore: [], maxFileBytes: MAX_FILE_BYTES, prefix: "" });
    const wanted = ({ path }: { path: string }) => globs.some((glob) => matchesGlob(path, glob));
    const files = walk.files.filter(wanted);
    const summary: Summary = {
      state: "done",
      dryRun: options.dryRun ?? false,
      files: files.length,
      asked: 0,
      known: 0,
      refused: 0,
      stored: 0,
      duplicates: 0,
      dropped: 0,
      found: [],
      failed: [...walk.failed, ...walk.skipped.filter(wanted)],
    };
    read.files = files.length;
    const progress = await startProgress(context.stderr, "ingesting", files.length);
    try {
      for (const file of files) {
        await sendFile(memory, file, summary);
        progress.update(++read.done);
        // A database in this process answers a request although it was ended.
        signal.throwIfAborted();
      }
    } finally {
      progress.stop();
    }
    return report(context, options, summary);
  });
}

/**
 * Runs `recollect ingest` without a folder. Asks the server to turn the agent's own files into
 * facts, waits for the run unless told not to, and prints the result.
 *
 * @returns 1 when the run failed or made no progress, else 0
 */
export function ingestFiles(context: CliContext, options: IngestOptions): Promise<number> {
  const sentence = () => "Stopped waiting: the server goes on. `recollect jobs list` shows its progress.";
  return stoppable(context, options.json ?? false, sentence, (signal) => ingestOwn(context, options, signal));
}

function ingestOwn(context: CliContext, options: IngestOptions, signal: AbortSignal): Promise<number> {
  return withMemory(context, options, async (known, { client }) => {
    const memory = client.agent(known.id, { signal });
    const paths = options.paths === undefined ? {} : { paths: globsOf(options.paths) };
    await memory.ingest.start({ ...paths, dryRun: options.dryRun ?? false });
    const run = options.wait ? await waitForRun(context, memory) : await readRun(memory);
    if (options.wait && run.state === "running")
      context.stderr.write(
        "The ingest makes no progress; is a worker running, and does the chat model answer? See `recollect jobs list`.\n",
      );
    const failed = run.error ? [{ path: "", reason: `${run.error.message} (${run.error.code})` }] : [];
    const summary: Summary = {
      state: run.state,
      dryRun: run.dryRun,
      files: run.filesDone - run.filesSkipped,
      asked: run.piecesDone,
      known: run.piecesKnown,
      refused: run.piecesRefused,
      stored: run.stored,
      duplicates: run.duplicates,
      dropped: run.dropped,
      found: run.found,
      failed,
    };
    const stalled = options.wait && run.state === "running";
    return Math.max(report(context, options, summary), stalled ? 1 : 0);
  });
}

async function sendFile(memory: AgentClient, { path, absolute }: LocalFile, summary: Summary): Promise<void> {
  let content: string;
  try {
    content = await readFile(absolute, "utf8");
  } catch (error) {
    summary.failed.push({ path, reason: reasonOf(error) });
    return;
  }
  try {
    await sendText(memory, { path, content }, summary);
  } catch (error) {
    // If the model refuses one text, the other texts are still sent.
    if (codeOf(error) !== "model_rejected") throw error;
    summary.failed.push({ path, reason: (error as Error).message });
  }
}

async function sendText(memory: AgentClient, file: { path: string; content: string }, summary: Summary): Promise<void> {
  for (let from: number | undefined = 0; from !== undefined; ) {
    const done: IngestedText = await memory.ingest.text({ ...file, from, dryRun: summary.dryRun });
    // The first request has counted the known pieces of the whole text. From later requests only
    // the other counts are added.
    if (from === 0) summary.known += done.known;
    for (const count of ["asked", "refused", "stored", "duplicates", "dropped"] as const) summary[count] += done[count];
    summary.found.push(...done.facts);
    from = done.next;
  }
}

async function readRun(memory: AgentClient): Promise<RunStatus> {
  return (await memory.ingest.status()) as RunStatus;
}

async function waitForRun(context: CliContext, memory: AgentClient): Promise<RunStatus> {
  const tellOfWorker = createNoWorkerNotice(context.stderr);
  let progress: Progress | undefined;
  let moved = { at: performance.now(), pieces: -1 };
  try {
    for (;;) {
      const run = await readRun(memory);
      if (run.filesTotal !== null) progress ??= await startProgress(context.stderr, "ingesting", run.filesTotal);
      progress?.update(run.filesDone);
      const pieces = run.piecesDone + run.filesDone;
      if (pieces !== moved.pieces) moved = { at: performance.now(), pieces };
      if (run.state === "running") tellOfWorker(await memory.status());
      if (run.state !== "running" || performance.now() - moved.at > STALL_MS) return run;
      await sleep(ASK_EVERY_MS);
    }
  } finally {
    progress?.stop();
  }
}

function report(context: CliContext, options: IngestOptions, summary: Summary): number {
  const { found, failed, ...counts } = summary;
  context.stdout.write(options.json ? `${JSON.stringify(summary)}\n` : describe(context, summary));
  if (counts.files === 0 && counts.state === "done" && !options.json)
    context.stderr.write("No file matched; name other globs with --paths.\n");
  return failed.length > 0 || counts.state === "failed" ? 1 : 0;
}

function describe(context: CliContext, summary: Summary): string {
  const { state, dryRun, files, asked, known, refused, stored, duplicates, dropped, found, failed } = summary;
  const facts = found.map(({ path, startLine, text }) => `  ${printableLine(`${path}:${startLine}  ${text}`)}\n`);
  const problems = failed.map(
    ({ path, reason }) => `  ${printableLine(path)}  ${paint("red", printableLine(reason), context.colour)}\n`,
  );
  const outcome = dryRun ? `would store up to ${found.length}` : `stored ${stored} · known ${duplicates}`;
  const odd = `${refused > 0 ? ` · refused ${refused}` : ""}${dropped > 0 ? ` · unreadable ${dropped}` : ""}`;
  const head = `${state === "done" ? "ingested" : state} · files ${files} · pieces ${asked}, ${known} done before · facts: ${outcome}${odd}\n`;
  return `${head}${facts.join("")}${problems.join("")}`;
}
