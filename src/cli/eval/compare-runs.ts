import { MEASURE_NAMES, type MeasureName } from "./measures.ts";
import type { SavedRun } from "./saved-run.ts";
import { comparePaired, type PairedDifference } from "./statistics.ts";
import type { MeasuredRun } from "./summarise.ts";

/** How one run differs from a saved one, over the queries that both have. */
export interface Comparison {
  name: string;
  before: string;
  queries: number;
  measures: Record<MeasureName, PairedDifference>;
  /** The queries whose nDCG@10 changed most, most first. */
  changed: { id: string; before: number; after: number }[];
  /** nDCG@10 now minus then, of each query. */
  differences: number[];
}

const MOST_CHANGED = 10;

/** Compares each run with the saved run of its name, or with the only one there is. */
export function compareRuns(runs: readonly MeasuredRun[], { runs: saved }: SavedRun): Comparison[] {
  const lone = saved.length === 1 ? saved[0] : undefined;
  return runs.flatMap((run) => {
    const before = saved.find(({ name }) => name === run.name) ?? lone;
    const comparison = before && compareRun(run, before);
    return comparison ? [comparison] : [];
  });
}

function compareRun(run: MeasuredRun, before: SavedRun["runs"][number]): Comparison | undefined {
  const then = new Map(before.queries.map(({ id, measures }) => [id, measures]));
  const pairs = run.queries.flatMap(({ id, measures }) => {
    const old = then.get(id);
    return old ? [{ id, before: old, after: measures }] : [];
  });
  if (pairs.length === 0) return undefined;
  const compare = (name: MeasureName) =>
    comparePaired(
      pairs.map((pair) => pair.before[name]),
      pairs.map((pair) => pair.after[name]),
    );
  const changed = pairs
    .map((pair) => ({ id: pair.id, before: pair.before.ndcg10, after: pair.after.ndcg10 }))
    .filter((pair) => pair.before !== pair.after)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .slice(0, MOST_CHANGED);
  return {
    ...{ name: run.name, before: before.name, queries: pairs.length, changed },
    measures: Object.fromEntries(MEASURE_NAMES.map((name) => [name, compare(name)])) as Comparison["measures"],
    differences: pairs.map((pair) => pair.after.ndcg10 - pair.before.ndcg10),
  };
}
