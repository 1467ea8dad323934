import type { CliContext } from "./context.ts";
import { paint } from "./paint.ts";
import { printableLine } from "./printable.ts";
import type { SkippedFile } from "./walk-folder.ts";

/** What a sync did; the object that `--json` prints. */
export interface SyncSummary {
  agent: string;
  dryRun: boolean;
  sent: number;
  unchanged: number;
  removed: number;
  chunks: number;
  /** Chunks of this upload without an embedding when it ended. */
  toEmbed: number;
  /** Embeddings made while waiting; 0 without a wait. */
  embedded: number;
  /** Embeddings still to be made when the command ended; after `--no-wait`, those of this upload. */
  pendingEmbeddings: number;
  /** Until everything was stored. */
  seconds: number;
  /** The wait for embeddings after that. */
  embedSeconds: number;
  skipped: SkippedFile[];
  failed: SkippedFile[];
  /** Paths, of a dry run only. */
  wouldSend?: string[];
  wouldRemove?: string[];
}

/** Prints the summary: one line, then every file that was left out, or one JSON object. */
export function reportSync(context: CliContext, summary: SyncSummary, json: boolean): void {
  if (json) {
    context.stdout.write(`${JSON.stringify(summary)}\n`);
    return;
  }
  const plan = [
    ...(summary.wouldSend ?? []).map((path) => `would send ${printableLine(path)}\n`),
    ...(summary.wouldRemove ?? []).map((path) => `would remove ${printableLine(path)}\n`),
  ];
  context.stdout.write(`${plan.join("")}${summaryLine(summary)}\n`);
  const names = (label: string, style: "yellow" | "red", files: readonly SkippedFile[]) =>
    files.map((file) => `  ${paint(style, label, context.colour)} ${printableLine(`${file.path}: ${file.reason}`)}\n`);
  context.stdout.write(
    [...names("skipped", "yellow", summary.skipped), ...names("failed", "red", summary.failed)].join(""),
  );
}

function summaryLine(summary: SyncSummary): string {
  const named = (label: string, files: readonly SkippedFile[]) =>
    `${label} ${files.length}${files.length > 0 ? " (named below)" : ""}`;
  const [send, remove] = summary.dryRun ? ["would send", "would remove"] : ["sent", "removed"];
  const waiting = summary.pendingEmbeddings > 0 ? [`still to embed ${summary.pendingEmbeddings}`] : [];
  return [
    `${send} ${summary.sent}`,
    `unchanged ${summary.unchanged}`,
    `${remove} ${summary.removed}`,
    named("skipped", summary.skipped),
    ...(summary.failed.length > 0 ? [named("failed", summary.failed)] : []),
    ...(summary.dryRun ? [] : [`chunks ${summary.chunks}`, `embedded ${summary.embedded}`, ...waiting]),
    `${(summary.seconds + summary.embedSeconds).toFixed(1)} s`,
  ].join(" · ");
}
