import type { CliContext } from "../shell/context.ts";
import { paint } from "../shell/paint.ts";
import { printableLine } from "../shell/printable.ts";

/** Found are those that the source has; known, those that the agent has already. Of a dry run, new ones would be stored. */
interface Counts {
  found: number;
  new: number;
  known: number;
}

/** What an import did, or would do; the object that `--json` prints. */
export interface ImportReport {
  kind: string;
  source: string;
  agent: string;
  dryRun: boolean;
  /** Grown are those of which the agent has a part. */
  conversations: Counts & { grown: number };
  /** Too old are those that the agent's settings do not keep. */
  messages: Counts & { tooOld: number };
  /** Captured are those that the user states in messages. */
  facts: Counts & { captured: number };
  /** Changed are those that this import has brought before, otherwise. */
  files: Counts & { changed: number };
  /** What is no text, by its name, such as `images`. */
  left: Record<string, number>;
  /** What cannot be read or was refused, and how many there are in all. */
  skipped: { place: string; reason: string }[];
  skippedCount: number;
  /** Why the import ended before the source did. */
  stopped?: string;
  seconds: number;
}

/** A broken source may have millions of bad places. */
const MAX_SKIPPED = 1000;
const MAX_NAMED = 20;

/** A report of nothing yet. */
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

/** Prints the report: a line for each kind of thing that there is, then what was left out; or one JSON object. */
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
