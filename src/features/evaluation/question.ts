import type { MeasureName, Measures } from "../../relevance/measures/measures.ts";
import type { Interval } from "../../relevance/measures/statistics.ts";

/** A question with the documents that a search should find. */
export interface Question {
  /** Unique in its set; runs are compared by it. */
  id: string;
  text: string;
  /** The paths that are right answers; a higher grade is a better one. */
  expected: { path: string; grade: number }[];
  /** The scope of the caller who asks. */
  scope?: { user?: string | undefined; agent?: string | undefined; session?: string | undefined } | undefined;
}

/** The result of one question. */
export interface QuestionResult {
  id: string;
  measures: Measures;
  /** The rank of the first right answer; null: not among the first hundred. */
  rank: number | null;
  /** The paths that were found, best first, at most ten. */
  found: string[];
  ms: number;
  mode: string;
  warning?: string | undefined;
}

/** The figures of a run. */
export interface RunSummary {
  measures: Record<MeasureName, Interval>;
  /** The number of questions without a right answer among the first ten. */
  missed: number;
  p50Ms: number;
  p95Ms: number;
  /** The embedding model of the index, or an empty text. */
  model: string;
}
