import { countOf } from "../../base/text/count-of.ts";
import type { TranscriptSent } from "../sessions/send-transcript.ts";
import type { CliContext } from "../shell/context.ts";
import { paint } from "../shell/paint.ts";
import { printableLine } from "../shell/printable.ts";
import type { Mirrored } from "./folder-mirror.ts";
import { joinAlike } from "./join-alike.ts";
import type { WatchEvent } from "./watch-loop.ts";

/**
 * The events that `recollect watch` and `recollect sessions watch` report. With `--json`, each
 * event is one line and has the time.
 */
export type WatchReport =
  | WatchEvent
  | { event: "watching"; root: string; agent: string; origin?: string; server: string }
  | ({ event: "synced"; seconds: number } & Omit<Mirrored, "kept" | "again" | "shared">)
  | { event: "kept"; files: number }
  | { event: "shared"; files: number; by: string; origin: string }
  | ({ event: "appended"; file: string; session: string } & Omit<TranscriptSent, "cursor">)
  | { event: "not-appended"; file: string; reason: string }
  | { event: "stopped"; complete: boolean };

/**
 * Creates the reporter of a watch. On a terminal and with `--json`, it reports every event.
 * Elsewhere it reports the start, and afterwards only changes and problems.
 */
export function createWatchReport(context: CliContext, json: boolean): (report: WatchReport) => void {
  const isQuiet = !json && context.stdout.isTTY !== true;
  return (report) => {
    if (isQuiet && isUneventful(report)) return;
    const at = new Date();
    if (json) context.stdout.write(`${JSON.stringify({ at: at.toISOString(), ...report })}\n`);
    else if (report.event === "synced") context.stdout.write(`${timeOf(at)} ${syncedText(report, context.colour)}`);
    else {
      const output = PLAIN.has(report.event) ? context.stdout : context.stderr;
      output.write(`${timeOf(at)} ${printableLine(sentenceOf(report))}\n`);
    }
  };
}

/** The events that are not problems. They go to stdout. */
const PLAIN = new Set<WatchReport["event"]>(["watching", "stopped", "appended"]);

function isUneventful(report: WatchReport): boolean {
  if (report.event === "synced")
    return report.sent + report.adopted + report.removed + report.skipped.length + report.failed.length === 0;
  return report.event === "stopped" && report.complete;
}

function timeOf(at: Date): string {
  return at.toTimeString().slice(0, 8);
}

function syncedText(report: Extract<WatchReport, { event: "synced" }>, colour: boolean): string {
  const line = [
    `sent ${report.sent}`,
    ...(report.adopted > 0 ? [`adopted ${report.adopted}`] : []),
    `removed ${report.removed}`,
    `chunks ${report.chunks}`,
    `to embed ${report.toEmbed}`,
    `files ${report.files}`,
    `${report.seconds.toFixed(1)} s`,
  ].join(" · ");
  const named = (label: string, style: "yellow" | "red", files: Mirrored["failed"]) =>
    joinAlike(files).map(
      (file) => `  ${paint(style, label, colour)} ${printableLine(`${file.path}: ${file.reason}`)}\n`,
    );
  return [`${line}\n`, ...named("skipped", "yellow", report.skipped), ...named("failed", "red", report.failed)].join(
    "",
  );
}

function sentenceOf(report: Exclude<WatchReport, { event: "synced" }>): string {
  switch (report.event) {
    case "watching":
      return `watching ${report.root} for the agent ${report.agent} of ${report.server} (Ctrl-C stops)`;
    case "kept":
      return `The folder has no text files, and the agent keeps ${countOf(report.files, "file")} from it; --allow-empty would delete everything from it.`;
    case "shared":
      return `${report.files} of the folder's files belong to another origin that sent them (${report.by}). If this folder has moved, --origin "${report.by}" goes on under that name, and --take-over makes the files belong to ${report.origin}.`;
    case "appended": {
      const bad = report.bad.map(({ line, reason }) => `; line ${line}: ${reason}`).join("");
      return `${report.session}: sent ${report.sent}${bad}`;
    }
    case "not-appended":
      return `${report.file}: ${report.reason}`;
    case "folder-away":
      return "The folder is missing; nothing is deleted. Waiting for the folder to come back.";
    case "folder-back":
      return "The folder is back.";
    case "away":
      return `${report.reason} Changes are collected; trying again until the server is back.`;
    case "back":
      return `The server is back after ${report.seconds.toFixed(0)} s; everything was compared.`;
    case "polling":
      return report.reason === "ENOSPC"
        ? "The system allows no more file watches (ENOSPC), so files are polled, which is slower. Raise the limit: sudo sysctl fs.inotify.max_user_watches=524288"
        : `The system allows no more open files (${report.reason}), so files are polled, which is slower. Raise the limit: ulimit -n 65536`;
    case "trouble":
      return `The file watcher failed with ${report.reason}; comparing the folder anew.`;
    case "stopped":
      return report.complete
        ? "stopped; everything is sent"
        : "Stopped before everything was sent; the next watch or sync sends the rest.";
  }
}
