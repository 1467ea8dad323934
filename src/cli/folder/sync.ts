import { AppError } from "../../base/errors.ts";
import { countOf } from "../../base/text/count-of.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { RecollectClient } from "../../client/client.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { stoppable } from "../shell/interrupted.ts";
import { startProgress } from "../shell/progress.ts";
import { countText } from "../shell/size.ts";
import { waitForEmbeddings } from "../shell/wait-for-embeddings.ts";
import {
  type Changes,
  compareFiles,
  conflictReason,
  remoteFiles,
  requireOrigins,
  type Selection,
} from "./compare-files.ts";
import { originOf } from "./origin-of.ts";
import { sendChanges } from "./send-changes.ts";
import type { Refusal, Target } from "./sending.ts";
import { reportSync, type SyncSummary } from "./sync-report.ts";
import { type Walk, walkFolder } from "./walk-folder.ts";

export interface SyncOptions extends RemoteOptions, Selection {
  dryRun?: boolean;
  wait: boolean;
  /** Whether the folders that are left out by default are named. */
  verbose?: boolean;
}

/**
 * Runs `recollect sync DIR`. Makes an agent's files of a folder equal to the folder, and sends only
 * the differences. Files of others stay unchanged.
 *
 * @param root absolute path of a folder that exists
 * @returns 1 when a file failed, a file of others has other content, or the embeddings stalled,
 * else 0
 */
export function sync(context: CliContext, root: string, options: SyncOptions): Promise<number> {
  const progress: Progress = {};
  const { json = false, dryRun = false } = options;
  const run = (signal: AbortSignal) => syncFolder(context, root, options, { signal, progress });
  return stoppable(context, json || dryRun, () => storedSentence(progress), run);
}

function syncFolder(context: CliContext, root: string, options: SyncOptions, ending: Ending): Promise<number> {
  const started = performance.now();
  const ifMissing = options.dryRun ? "in memory" : "create";
  return withMemory(context, { ...options, ifMissing }, async (found, { client, description }) => {
    const memory = client.agent(found.id, { signal: ending.signal });
    const { prefix, takeOver = false } = options;
    const owner = { origin: options.origin ?? (await originOf(root, prefix)), takeOver };
    await requireOrigins(memory, description);
    const [walk, remote] = await Promise.all([walkFolder(root, options), remoteFiles(memory, prefix)]);
    const changes = compareFiles(walk, remote, owner);
    // A mistyped or unmounted folder must not wipe a memory.
    if (walk.files.length === 0 && changes.gone.length > 0 && !options.allowEmpty) {
      throw new AppError(
        "invalid_request",
        `${root} has no texts or documents, and the agent has ${countOf(changes.gone.length, "file")} from it; pass --allow-empty to delete them all.`,
      );
    }
    const summary = plannedSummary({ agent: memory.id, origin: owner.origin }, options, walk, changes);
    const target = { memory, ...owner, maxFileBytes: options.maxFileBytes, known: remote };
    if (!options.dryRun) await apply(context, target, changes, summary, ending);
    summary.seconds = secondsSince(started);
    const stalled = !options.dryRun && options.wait && (await wait(context, client, memory, summary, ending));
    reportSync(context, summary, options);
    return summary.failed.length + summary.conflicts.length > 0 || stalled ? 1 : 0;
  });
}

/** The progress of a sync, for the sentence at Ctrl-C. */
interface Progress {
  /** The changes that are stored, and all changes; undefined before anything is sent. */
  sending?: { done: number; total: number };
}

interface Ending {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Returns the sentence at Ctrl-C. Stored files stay: each request stores all of its files or none,
 * and the next sync compares the folder again.
 */
function storedSentence({ sending }: Progress): string {
  if (sending === undefined) return "Stopped before anything was sent; the same command begins again.";
  const { done, total } = sending;
  return done < total
    ? `Stopped: ${countText(done)} of ${countText(total)} changes are stored; the same command sends the rest.`
    : "Stopped: all changes are stored; missing embeddings are made by the server, or when the next command runs.";
}

function plannedSummary(
  whose: Pick<SyncSummary, "agent" | "origin">,
  { dryRun = false }: SyncOptions,
  walk: Walk,
  changes: Changes,
): SyncSummary {
  const { changed, adopted, gone, conflicts, shared, others } = changes;
  return {
    ...whose,
    dryRun,
    sent: dryRun ? changed.length : 0,
    unchanged: walk.files.length - changed.length - conflicts.length,
    adopted: dryRun ? adopted.length : 0,
    removed: dryRun ? gone.length : 0,
    shared,
    kept: others.length,
    chunks: 0,
    toEmbed: 0,
    embedded: 0,
    pendingEmbeddings: 0,
    seconds: 0,
    embedSeconds: 0,
    skipped: walk.skipped,
    leftOut: walk.leftOut,
    otherKinds: walk.otherKinds,
    conflicts: conflicts.map(({ path, origin }) => ({ path, reason: conflictReason(origin) })),
    failed: walk.failed,
    ...(dryRun && {
      wouldSend: changed.map((file) => file.path),
      wouldAdopt: adopted.map((file) => file.path),
      wouldRemove: [...gone],
      wouldKeep: [...shared, ...others],
    }),
  };
}

async function apply(
  context: CliContext,
  target: Target,
  changes: Changes,
  summary: SyncSummary,
  ending: Ending,
): Promise<void> {
  const sending = { done: 0, total: changes.changed.length + changes.adopted.length + changes.gone.length };
  ending.signal.throwIfAborted();
  ending.progress.sending = sending;
  const progress = await startProgress(context.stderr, "sending", sending.total, { unit: "files" });
  progress.update(sending.done);
  const advance = (count: number, { chunks }: { chunks: number }) => {
    sending.done += count;
    progress.update(sending.done, countOf(chunks, "chunk"));
    // A database in this process answers a request although it was ended.
    ending.signal.throwIfAborted();
  };
  try {
    const { refused, unread, ...counts } = await sendChanges(target, changes, advance);
    const named = (isIt: (one: Refusal) => boolean | undefined) =>
      refused.filter(isIt).map(({ path, reason }) => ({ path, reason }));
    const skipped = [...summary.skipped, ...named((one) => one.isSkipped)];
    const failed = [...summary.failed, ...unread, ...named((one) => !one.isOthers && !one.isSkipped)];
    const conflicts = [...summary.conflicts, ...named((one) => one.isOthers)];
    Object.assign(summary, { ...counts, pendingEmbeddings: counts.toEmbed, skipped, failed, conflicts });
  } finally {
    progress.stop();
  }
}

/** Waits for the embeddings. @returns whether the embeddings stalled */
async function wait(
  context: CliContext,
  client: RecollectClient,
  memory: AgentClient,
  summary: SyncSummary,
  { signal }: Ending,
): Promise<boolean> {
  const started = performance.now();
  const waited = await waitForEmbeddings(memory, {
    client,
    toEmbed: summary.toEmbed,
    stderr: context.stderr,
    signal,
  });
  summary.keywordOnly = !waited.possible;
  summary.embedded = waited.embedded;
  summary.pendingEmbeddings = waited.left;
  summary.embedSeconds = secondsSince(started);
  if (waited.stalled) {
    const waiting = countOf(waited.left, "chunk still waits", "chunks still wait");
    context.stderr.write(
      waited.trouble === undefined
        ? `No embedding was made for minutes, and ${waiting} for one. Is a worker running? The files are stored and found by keyword; see \`recollect status\`. (embedder_unavailable)\n`
        : `${waiting} for an embedding; see \`recollect status\`. (embedder_unavailable)\n`,
    );
  }
  return waited.stalled;
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
