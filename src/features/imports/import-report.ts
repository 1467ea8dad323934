import type { CliContext } from "../../cli/shell/context.ts";
import { paint } from "../../cli/shell/paint.ts";
import { printableLine } from "../../cli/shell/printable.ts";

/**
 * The counts of one kind of item. `found` counts the items in the source, `known` the items that
 * the agent already has. In a dry run, `new` counts the items that would be stored.
 */
interface Counts {
  found: number;
  new: number;
  known: number;
}

/** The result of an import or of a dry run, which `--json` prints as an object. */
export interface ImportReport {
  kind: string;
  source: string;
  agent: string;
  dryRun: boolean;
  /** `grown` counts the conversations that the agent had only in part. */
  conversations: Counts & { grown: number };
  /** `tooOld` counts the messages that are older than the agent's settings keep. */
  messages: Counts & { tooOld: number };
  /** `captured` counts the facts that were captured from the user's messages. */
  facts: Counts & { captured: number };
  /** `changed` counts the files that an earlier import sent with other content. */
  files: Counts & { changed: number };
  /** The number of entries that are not text, by name, such as `images`. */
  left: Record<string, number>;
  /** The items that could not be read or were refused. `skippedCount` is their total number. */
  skipped: { place: string; reason: string }[];
  skippedCount: number;
  /** The reason why the import ended before the source. */
  stopped?: string;
  seconds: number;
}

/**
 * The maximum number of skipped items in the report. A broken source may have millions of bad
 * places.
 */
const MAX_SKIPPED = 1000;
const MAX_NAMED = 20;

/** Creates an empty report. */
export function createReport(about: Pick<ImportReport, "kind" | "source" | "agent" | "dryRun">): ImportReport {
  const counts = () => ({ found: 0, new: 0, known: 0 });
  return {
    ...about,
    conversations: { ...counts(), grown: 0 },
    messages: { ...counts(), tooOld: 0 },
    facts: { ...counts(), captured: 0 },
    files: { ...counts(), changed: 0 },
    left: {},
    skipped: [],
    skippedCount: 0,
    seconds: 0,
  };
}

export function skip(report: ImportReport, place: string, reason: string): void {
  report.skippedCount++;
  if (report.skipped.length < MAX_SKIPPED) report.skipped.push({ place, reason });
}

export function leave(report: ImportReport, name: string, count = 1): void {
  report.left[name] = (report.left[name] ?? 0) + count;
}

/**
 * Prints the report as one line for each kind of item, followed by the items that were left out, or
 * as one JSON object.
 */
export function printReport(context: CliContext, report: ImportReport, json: boolean): void {
  context.stdout.write(json ? `${JSON.stringify(report)}\n` : describe(report, context.colour));
}

function describe(report: ImportReport, colour: boolean): string {
  const { kind, source, agent, dryRun, seconds, left, skipped, skippedCount } = report;
  const verb = dryRun ? "would import" : report.stopped === undefined ? "imported" : "imported a part of";
  const title = `${verb} ${kind} ${source} → ${agent}`;
  const names = Object.entries(left).sort(([one], [other]) => (one < other ? -1 : 1));
  const bad = skipped
    .slice(0, MAX_NAMED)
    .map(({ place, reason }) => `  ${paint("yellow", "skipped", colour)} ${printableLine(`${place}: ${reason}`)}\n`);
  return [
    `${printableLine(title)} · ${seconds.toFixed(1)} s\n`,
    ...(["conversations", "messages", "facts", "files"] as const).map((name) => line(name, report[name])),
    names.length === 0 ? "" : `left out: ${printableLine(names.map(([name, n]) => `${name} ${n}`).join(" · "))}\n`,
    ...bad,
    skippedCount > bad.length ? `  and ${skippedCount - bad.length} more\n` : "",
  ].join("");
}

const LABELS: Record<string, string> = { tooOld: "too old" };

function line(name: string, counts: Counts): string {
  const { found, new: fresh, known, ...others } = counts;
  const odd = Object.entries<number>(others).flatMap(([key, count]) =>
    count > 0 ? [`${LABELS[key] ?? key} ${count}`] : [],
  );
  if (found === 0 && odd.length === 0) return "";
  return `${[`${name}: found ${found}`, `new ${fresh}`, ...odd, `known ${known}`].join(" · ")}\n`;
}
