import { MEASURE_NAMES, type MeasureName } from "../../../relevance/measures/measures.ts";
import { comparePaired, isTie, type PairedDifference } from "../../../relevance/measures/statistics.ts";
import type { SavedRun } from "./saved-run.ts";
import type { MeasuredRun } from "./summarise.ts";

/** The differences of one run from another, over the queries that both have. */
export interface Comparison {
  name: string;
  /** The other run, in words. */
  before: string;
  queries: number;
  measures: Record<MeasureName, PairedDifference>;
  /** The queries whose nDCG@10 changed most, with the largest change first. */
  changed: { id: string; before: number; after: number }[];
  /** The nDCG@10 of each query in both runs. */
  each: { id: string; before: number; after: number; change: "better" | "worse" | "equal" }[];
  /** For each query, the nDCG@10 of this run minus the nDCG@10 of the other run. */
  differences: number[];
}

const MOST_CHANGED = 10;

/** Compares each run with the saved run of the same name, or with the only saved run. */
export function compareRuns(
  runs: readonly MeasuredRun[],
  { runs: saved }: Pick<SavedRun, "runs">,
  describe = (name: string) => `the saved ${name}`,
): Comparison[] {
  const lone = saved.length === 1 ? saved[0] : undefined;
  return runs.flatMap((run) => {
    const before = saved.find(({ name }) => name === run.name) ?? lone;
    const comparison = before && compareRun(run, before, describe(before.name));
    return comparison ? [comparison] : [];
  });
}

function compareRun(run: MeasuredRun, before: SavedRun["runs"][number], described: string): Comparison | undefined {
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
  const each = pairs.map((pair) => {
    const [then, now] = [pair.before.ndcg10, pair.after.ndcg10];
    const change = isTie(now - then) ? "equal" : now > then ? "better" : "worse";
    return { id: pair.id, before: then, after: now, change } as const;
  });
  const changed = each
    .filter(({ change }) => change !== "equal")
    .map(({ change: _change, ...one }) => one)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .slice(0, MOST_CHANGED);
  return {
    name: run.name,
    before: described,
    queries: pairs.length,
    changed,
    each,
    measures: Object.fromEntries(MEASURE_NAMES.map((name) => [name, compare(name)])) as Comparison["measures"],
    differences: each.map(({ before, after }) => after - before),
  };
}
