import type { CliContext } from "../shell/context.ts";
import { paint } from "../shell/paint.ts";
import { printableLine } from "../shell/printable.ts";
import type { OthersFile } from "./compare-files.ts";
import type { SkippedFile } from "./walk-folder.ts";

/** The result of a sync, which `--json` prints as an object. */
export interface SyncSummary {
  agent: string;
  /** The name that marks files as this folder's own. */
  origin: string;
  dryRun: boolean;
  sent: number;
  unchanged: number;
  /**
   * The number of unchanged files that are now the folder's own. They had no origin, or were taken
   * over.
   */
  adopted: number;
  /** The unchanged files that another folder has sent, and which remain its own. */
  shared: readonly OthersFile[];
  removed: number;
  chunks: number;
  /** The number of chunks of this upload that had no embedding when the upload ended. */
  toEmbed: number;
  /** The number of embeddings that were made during the wait; 0 without a wait. */
  embedded: number;
  /**
   * The number of embeddings that were still missing when the command ended; after `--no-wait`,
   * only the missing embeddings of this upload.
   */
  pendingEmbeddings: number;
  /** The time until everything was stored, in seconds. */
  seconds: number;
  /** The time that the command then waited for embeddings, in seconds. */
  embedSeconds: number;
  /** The number of files of others that do not exist in the folder. */
  kept: number;
  skipped: SkippedFile[];
  /** The files for which others wrote other content. They stay unchanged. */
  conflicts: SkippedFile[];
  failed: SkippedFile[];
  /** The paths that the changes would affect; set in a dry run only. */
  wouldSend?: string[];
  wouldAdopt?: string[];
  wouldRemove?: string[];
  wouldKeep?: OthersFile[];
}

/** Prints the summary: one line, followed by every file that was left out, or one JSON object. */
export function reportSync(context: CliContext, summary: SyncSummary, json: boolean): void {
  if (json) {
    context.stdout.write(`${JSON.stringify(summary)}\n`);
    return;
  }
  const plan = [
    ...(summary.wouldSend ?? []).map((path) => `would send ${printableLine(path)}\n`),
    ...(summary.wouldAdopt ?? []).map((path) => `would adopt ${printableLine(path)}\n`),
    ...(summary.wouldRemove ?? []).map((path) => `would remove ${printableLine(path)}\n`),
    ...(summary.wouldKeep ?? []).map((file) => `would keep ${printableLine(`${file.path}: ${ownerOf(file)}`)}\n`),
  ];
  context.stdout.write(`${plan.join("")}${summaryLine(summary)}\n`);
  const names = (label: string, style: "yellow" | "red", files: readonly SkippedFile[]) =>
    files.map((file) => `  ${paint(style, label, context.colour)} ${printableLine(`${file.path}: ${file.reason}`)}\n`);
  context.stdout.write(
    [
      ...names("skipped", "yellow", summary.skipped),
      ...names("conflict", "red", summary.conflicts),
      ...names("failed", "red", summary.failed),
    ].join(""),
  );
  for (const advice of adviceOf(summary)) context.stderr.write(`${printableLine(advice)}\n`);
}

function ownerOf({ origin }: OthersFile): string {
  return origin === null ? "written by an agent or program" : `sent by ${origin}`;
}

/** Returns advice about files of others. */
function adviceOf({ conflicts, shared, origin }: SyncSummary): string[] {
  const [first] = shared;
  const advice = [];
  if (conflicts.length > 0)
    advice.push(
      "Files that others wrote were not changed. The same command with --take-over replaces them with this folder's files. (origin_conflict)",
    );
  if (first)
    advice.push(
      `${shared.length} of the folder's files belong to another origin that sent them (${first.origin}). If this folder has moved, --origin "${first.origin}" goes on under that name, and --take-over makes the files belong to ${origin}.`,
    );
  return advice;
}

function summaryLine(summary: SyncSummary): string {
  const named = (label: string, files: readonly SkippedFile[]) =>
    `${label} ${files.length}${files.length > 0 ? " (named below)" : ""}`;
  const [send, adopt, remove] = summary.dryRun
    ? ["would send", "would adopt", "would remove"]
    : ["sent", "adopted", "removed"];
  const waiting = summary.pendingEmbeddings > 0 ? [`still to embed ${summary.pendingEmbeddings}`] : [];
  return [
    `${send} ${summary.sent}`,
    `unchanged ${summary.unchanged}`,
    ...(summary.adopted > 0 ? [`${adopt} ${summary.adopted}`] : []),
    `${remove} ${summary.removed}`,
    ...(summary.kept > 0 ? [`of others ${summary.kept}`] : []),
    named("skipped", summary.skipped),
    ...(summary.conflicts.length > 0 ? [named("conflicts", summary.conflicts)] : []),
    ...(summary.failed.length > 0 ? [named("failed", summary.failed)] : []),
    ...(summary.dryRun ? [] : [`chunks ${summary.chunks}`, `embedded ${summary.embedded}`, ...waiting]),
    `${(summary.seconds + summary.embedSeconds).toFixed(1)} s`,
  ].join(" · ");
}
