import { MEASURE_NAMES, type MeasureName, type Measures, measure } from "../../../relevance/measures/measures.ts";
import { bootstrap, type Interval, quantile } from "../../../relevance/measures/statistics.ts";
import type { EvalQuery } from "./read-dataset.ts";
import type { Run } from "./run-plans.ts";

export interface Latency {
  p50: number;
  p95: number;
  p99: number;
}

/** The figures of one run. */
export interface RunSummary {
  name: string;
  measures: Record<MeasureName, Interval>;
  /** The share of queries that found nothing. */
  empty: number;
  /**
   * The times of the requests in milliseconds; null when the ranking came with another run's
   * answers.
   */
  latency: Latency | null;
  queriesPerSecond: number | null;
}

/** One run with the result of every query, in the order of the queries. */
export interface MeasuredRun extends RunSummary {
  queries: { id: string; measures: Measures; ranking: string[] }[];
  milliseconds: number[];
}

/** Measures a run. */
export function summarise(run: Run, queries: readonly EvalQuery[]): MeasuredRun {
  const measured = queries.map(({ id, judgements }, index) => {
    const ranking = run.rankings[index] ?? [];
    return { id, ranking, measures: measure(ranking, judgements) };
  });
  const interval = (name: MeasureName) => bootstrap(measured.map(({ measures }) => measures[name]));
  const milliseconds = run.milliseconds ?? [];
  return {
    name: run.name,
    measures: Object.fromEntries(MEASURE_NAMES.map((name) => [name, interval(name)])) as Record<MeasureName, Interval>,
    empty: measured.filter(({ ranking }) => ranking.length === 0).length / Math.max(1, measured.length),
    latency: run.milliseconds ? latencyOf(milliseconds) : null,
    queriesPerSecond: run.seconds === undefined ? null : milliseconds.length / run.seconds,
    queries: measured,
    milliseconds,
  };
}

function latencyOf(milliseconds: readonly number[]): Latency {
  return {
    p50: quantile(milliseconds, 0.5),
    p95: quantile(milliseconds, 0.95),
    p99: quantile(milliseconds, 0.99),
  };
}

/** Returns a run without the results of its queries. */
export function figuresOf({ queries: _queries, milliseconds: _times, ...figures }: MeasuredRun): RunSummary {
  return figures;
}
