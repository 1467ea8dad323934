import { countOf } from "../../base/text/count-of.ts";
import type { CliContext } from "../shell/context.ts";
import { paint } from "../shell/paint.ts";
import { printableLine } from "../shell/printable.ts";
import { countText } from "../shell/size.ts";
import type { OthersFile } from "./compare-files.ts";
import { ALWAYS_IGNORED } from "./ignore-rules.ts";
import { joinAlike } from "./join-alike.ts";
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
  /** Whether the server has no model that makes embeddings; undefined without a wait. */
  keywordOnly?: boolean;
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
  /** The folders that are left out by default: hidden ones, trash, backups, packages. */
  leftOut: readonly string[];
  /** The number of files of kinds that are not read, by their ending. */
  otherKinds: Readonly<Record<string, number>>;
  /** The paths that the changes would affect; set in a dry run only. */
  wouldSend?: string[];
  wouldAdopt?: string[];
  wouldRemove?: string[];
  wouldKeep?: OthersFile[];
}

/** Prints the summary: one line, followed by every file that was left out, or one JSON object. */
export function reportSync(
  context: CliContext,
  summary: SyncSummary,
  { json = false, verbose = false }: { json?: boolean; verbose?: boolean },
): void {
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
    (verbose ? files : joinAlike(files, " (--verbose)")).map(
      (file) => `  ${paint(style, label, context.colour)} ${printableLine(`${file.path}: ${file.reason}`)}\n`,
    );
  context.stdout.write(
    [
      ...names("skipped", "yellow", summary.skipped),
      ...names("conflict", "red", summary.conflicts),
      ...names("failed", "red", summary.failed),
      ...(verbose ? names("left out", "yellow", [...summary.leftOut.map(whyLeftOut), ...kindsOf(summary)]) : []),
    ].join(""),
  );
  for (const advice of adviceOf(summary)) context.stderr.write(`${printableLine(advice)}\n`);
}

function kindsOf({ otherKinds }: SyncSummary): SkippedFile[] {
  return Object.entries(otherKinds)
    .sort()
    .map(([path, count]) => ({ path, reason: `${filesText(count)} of a kind that is not read` }));
}

function filesText(count: number): string {
  return countOf(count, "file");
}

function whyLeftOut(path: string): SkippedFile {
  const name = path.slice(0, -1).replace(/^.*\//, "");
  const kind = "hidden, trash, a backup or packages";
  const back = ALWAYS_IGNORED.has(name) ? "" : `; a line !${path} in .recollectignore brings it back`;
  return { path, reason: `${kind}${back}` };
}

function ownerOf({ origin }: OthersFile): string {
  return origin === null ? "written by an agent or program" : `sent by ${origin}`;
}

/** Returns whether the folder has no file that is, or could be, in the memory. */
function isWithoutFiles({ sent, unchanged, removed, skipped, conflicts, failed }: SyncSummary): boolean {
  return sent + unchanged + removed + skipped.length + conflicts.length + failed.length === 0;
}

/** Returns advice about a folder without files, and about files of others. */
function adviceOf(summary: SyncSummary): string[] {
  const { conflicts, shared, origin } = summary;
  const [first] = shared;
  const advice = [];
  if (isWithoutFiles(summary))
    advice.push("The folder has no texts or documents that can be sent; recollect help sync lists the kinds.");
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

/** Says how many embeddings were made, and how many chunks had one already. */
function embeddedText({ chunks, toEmbed, embedded, keywordOnly }: SyncSummary): string {
  if (keywordOnly) return "embedded none: search is by keyword only";
  // Without a wait it is not known whether the server has a model.
  const known = keywordOnly === undefined ? 0 : chunks - toEmbed;
  return `embedded ${countText(embedded)}${known > 0 ? ` (${countText(known)} from the cache)` : ""}`;
}

function summaryLine(summary: SyncSummary): string {
  const named = (label: string, files: readonly SkippedFile[]) =>
    `${label} ${countText(files.length)}${files.length > 0 ? " (named below)" : ""}`;
  const [send, adopt, remove] = summary.dryRun
    ? ["would send", "would adopt", "would remove"]
    : ["sent", "adopted", "removed"];
  const waiting = summary.pendingEmbeddings > 0 ? [`still to embed ${countText(summary.pendingEmbeddings)}`] : [];
  const others = Object.values(summary.otherKinds).reduce((sum, count) => sum + count, 0);
  return [
    `${send} ${countText(summary.sent)}`,
    `unchanged ${countText(summary.unchanged)}`,
    ...(summary.adopted > 0 ? [`${adopt} ${summary.adopted}`] : []),
    `${remove} ${countText(summary.removed)}`,
    ...(summary.kept > 0 ? [`of others ${summary.kept}`] : []),
    named("skipped", summary.skipped),
    ...(summary.leftOut.length > 0 ? [`left out ${countOf(summary.leftOut.length, "folder")} (--verbose)`] : []),
    ...(others > 0 ? [`left out ${filesText(others)} of other kinds (--verbose)`] : []),
    ...(summary.conflicts.length > 0 ? [named("conflicts", summary.conflicts)] : []),
    ...(summary.failed.length > 0 ? [named("failed", summary.failed)] : []),
    ...(summary.dryRun ? [] : [`chunks ${countText(summary.chunks)}`, embeddedText(summary), ...waiting]),
    `${(summary.seconds + summary.embedSeconds).toFixed(1)} s`,
  ].join(" · ");
}
