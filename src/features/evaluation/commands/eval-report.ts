import { countOf } from "../../../base/text/count-of.ts";
import { MEASURE_NAMES, MEASURES } from "../../../relevance/measures/measures.ts";
import type { Comparison } from "./compare-runs.ts";
import type { RunSummary } from "./summarise.ts";

/**
 * The findings of an evaluation. `--json` prints this object without the `differences` of its
 * comparisons.
 */
export interface EvalReport {
  name: string;
  /**
   * The existing agent that was asked, unchanged; absent when the evaluation asked agents of its
   * own.
   */
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
  /** The number of agents that were erased at the end. */
  erased: number;
  runs: RunSummary[];
  comparisons: Comparison[];
  notes: string[];
}

/** Returns the title line of both reports. */
export function describeRun(report: EvalReport): string {
  const { name, agent, queries, documents, agents, provider, model } = report;
  const how = provider === "" ? [] : [provider === "none" ? "no embeddings" : `${provider} ${model}`];
  return [
    name,
    countOf(queries, "query", "queries"),
    ...(agent === undefined ? [countOf(documents, "document"), countOf(agents, "agent")] : [`agent ${agent}`]),
    ...how,
  ].join(" · ");
}

/**
 * Returns the table of figures: a row for each run, a column for each measure, and the intervals
 * below each run.
 */
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

/** Returns the table of a comparison: the difference of each measure. */
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
