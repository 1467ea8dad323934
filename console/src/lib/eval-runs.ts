import { storedList, storeList } from "./stored-list.ts";

/** One run of the saved questions. */
export interface EvalRun {
  at: string;
  /** The options of the searches, in words. */
  with: string;
  /** The rank at which each question found its answer; null: not among the requested hits. */
  ranks: Record<string, number | null>;
}

/**
 * The share of questions whose answer is the first hit or among the first five or ten, and the mean
 * of 1 / rank.
 */
export interface Figures {
  first: number;
  five: number;
  ten: number;
  reciprocal: number;
}

const MOST_RUNS = 20;
const keyOf = (agent: string) => `recollect.runs.${agent}`;

/** Returns the runs that this browser has made of an agent's questions, newest first. */
export function savedRuns(agent: string): EvalRun[] {
  return storedList(keyOf(agent));
}

/** Saves a run, and drops the oldest runs to make room. @returns the runs that are kept */
export function saveRun(agent: string, run: EvalRun): EvalRun[] {
  const runs = [run, ...savedRuns(agent)].slice(0, MOST_RUNS);
  storeList(keyOf(agent), runs);
  return runs;
}

const worthOf = (rank: number | null | undefined) => (rank ? 1 / rank : 0);

export function figuresOf(ranks: EvalRun["ranks"]): Figures {
  const all = Object.values(ranks);
  const mean = (value: (rank: number | null) => number) =>
    all.reduce<number>((sum, rank) => sum + value(rank), 0) / Math.max(1, all.length);
  const within = (depth: number) => mean((rank) => (rank !== null && rank <= depth ? 1 : 0));
  return { first: within(1), five: within(5), ten: within(10), reciprocal: mean(worthOf) };
}

/** Returns the change in 1 / rank of each question that both runs have, by question. */
export function gains(before: EvalRun["ranks"], after: EvalRun["ranks"]): Map<string, number> {
  return new Map(
    Object.keys(after)
      .filter((question) => question in before)
      .map((question) => [question, worthOf(after[question]) - worthOf(before[question])]),
  );
}
