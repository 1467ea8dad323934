import type { Comparison } from "./compare-runs.ts";
import { MEASURE_NAMES, MEASURES } from "./measures.ts";
import type { RunSummary } from "./summarise.ts";

/** What an evaluation found; the object that `--json` prints, with the comparison's per-query differences left out. */
export interface EvalReport {
  name: string;
  /** The agent that was asked as it is; absent: agents of the evaluation's own. */
  agent?: string | undefined;
  server: string;
  provider: string;
  model: string;
  documents: number;
  agents: number;
  chunks: number;
  queries: number;
  clients: number;
  sent: number;
  unchanged: number;
  removed: number;
  /** How many agents were erased at the end. */
  erased: number;
  runs: RunSummary[];
  comparisons: Comparison[];
  notes: string[];
}

/** The title line of both reports. */
export function describeRun(report: EvalReport): string {
  const { name, agent, queries, documents, agents, provider, model } = report;
  const plural = (count: number, word: string) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
  const how = provider === "" ? [] : [provider === "none" ? "no embeddings" : `${provider} ${model}`];
  return [
    name,
    plural(queries, "query").replace("querys", "queries"),
    ...(agent === undefined ? [plural(documents, "document"), plural(agents, "agent")] : [`agent ${agent}`]),
    ...how,
  ].join(" · ");
}

/** Figures, runs by measures, with the intervals below. */
export function figureRows(runs: readonly RunSummary[]): { head: string[]; rows: string[][] } {
  const head = ["run", ...MEASURE_NAMES.map((name) => MEASURES[name]), "empty", "p50 ms", "p95 ms", "p99 ms", "q/s"];
  const rows = runs.flatMap((run) => [
    [
      run.name,
      ...MEASURE_NAMES.map((name) => run.measures[name].mean.toFixed(4)),
      `${(run.empty * 100).toFixed(1)} %`,
      ...(["p50", "p95", "p99"] as const).map((name) => run.latency?.[name].toFixed(1) ?? "–"),
      run.queriesPerSecond?.toFixed(1) ?? "–",
    ],
    ["", ...MEASURE_NAMES.map((name) => interval(run.measures[name]))],
  ]);
  return { head, rows };
}

/** The difference of each measure from a saved run. */
export function differenceRows({ measures }: Comparison): { head: string[]; rows: string[][] } {
  const head = ["measure", "difference", "95 % interval", "p", "wins", "losses", "ties"];
  const rows = MEASURE_NAMES.map((name) => {
    const { mean, low, high, p, wins, losses, ties } = measures[name];
    const cells = [signed(mean), `${signed(low)} to ${signed(high)}`, p.toFixed(4), wins, losses, ties];
    return [MEASURES[name], ...cells.map(String)];
  });
  return { head, rows };
}

export function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
}

function interval({ low, high }: { low: number; high: number }): string {
  return `${low.toFixed(3)}–${high.toFixed(3)}`;
}
