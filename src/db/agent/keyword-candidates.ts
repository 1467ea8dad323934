import type { KeywordTerm } from "./keyword-terms.ts";

/** Chunks to score: those that match, and where to stop looking if there are more of them than expected. */
export interface CandidateSet {
  /** tsquery text. */
  query: string;
  maxChunks: number;
}

export interface CandidateChoice {
  /** Disjoint. */
  sets: CandidateSet[];
  /** Chunks with the rarest of the terms that do not by themselves make a candidate; undefined: each term does. */
  leftOut: CandidateSet | undefined;
}

/** Counts can be out of date; at this many times the budget even rare terms are no longer taken at their word. */
const MAX_OVERRUN = 3;

/**
 * Which chunks are scored. Common words make an OR match most of the index, and nearly all of what it matches scores low;
 * so the rarest terms choose, as many as fit into the budget of chunks. What remains of the budget goes to chunks in which
 * the next rarest terms occur together, their number estimated as if terms were independent.
 *
 * @param terms rarest first; `df` 0 is a term that was not there when terms were counted, hence rare
 */
export function chooseCandidates(terms: readonly KeywordTerm[], chunks: number, budget: number): CandidateChoice {
  let left = budget;
  const firstLeftOut = terms.findIndex((term) => {
    left -= term.df;
    return left < 0;
  });
  const alone = terms.slice(0, firstLeftOut === -1 ? terms.length : firstLeftOut);
  const others = terms.slice(alone.length);
  const used = alone.reduce((sum, term) => sum + term.df, 0);
  const anyAlone = alone.map((term) => term.operand).join(" | ");
  const sets: CandidateSet[] = [];
  if (alone.length > 0) sets.push({ query: anyAlone, maxChunks: budget * MAX_OVERRUN });
  const together = meetingTerms(others, chunks, budget - used);
  // Sets of their own: a wrong estimate of what meets must not cut off what the rare terms find.
  if (together !== undefined)
    sets.push({ query: alone.length > 0 ? `(${together}) & !(${anyAlone})` : together, maxChunks: budget });
  const rarest = others[0];
  return { sets, leftOut: rarest && { query: rarest.operand, maxChunks: budget } };
}

/** The rarest of the terms together with one of the others, or with more of them until the estimate fits. */
function meetingTerms(terms: readonly KeywordTerm[], chunks: number, budget: number): string | undefined {
  const required: string[] = [];
  const anyOf: string[] = [];
  let share = 1;
  let left = budget;
  for (const term of terms) {
    const matched = term.df * share;
    if (matched <= left && required.length > 0) {
      anyOf.push(term.operand);
      left -= matched;
    } else if (anyOf.length === 0) {
      required.push(term.operand);
      share *= Math.min(1, term.df / Math.max(1, chunks));
    } else break;
  }
  if (anyOf.length > 0) return [...required, `(${anyOf.join(" | ")})`].join(" & ");
  // All of them together: more than the budget by estimate, but nothing narrower can be asked.
  return required.length > 1 ? required.join(" & ") : undefined;
}
