import type { KeywordAnswer } from "../../db/agent/candidates/keyword-search.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";

/** The default time limit of a search statement. */
export const SEARCH_TIMEOUT_MS = 5000;

/** The parts of a search that may meet the time limit. */
type Part = "keyword" | "vector" | "filter";

/**
 * The part of a memory's search that met the time limit first. Other statements of the same
 * transaction fail with it.
 */
export interface Lateness {
  part?: Part;
}

/** Returns whether Postgres ended a statement at its time limit. */
export function isLate(error: unknown): boolean {
  return sqlState(error) === SQLSTATE.queryCanceled;
}

/** Awaits a part of a search, and records the part when it meets the time limit. */
export async function noticing<T>(late: Lateness | undefined, part: Part, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (late && isLate(error)) late.part ??= part;
    throw error;
  });
}

const WITHOUT: Record<Part, string> = {
  keyword: "The search by keyword took too long and was left out; a question of fewer words is answered sooner.",
  vector: "The search by meaning took too long and was left out; keyword search only.",
  filter:
    "Nothing was searched: comparing paths and times took too long. Name fewer `paths`, or begin them with a folder.",
};

/**
 * Returns the warning about a part that met the time limit. An undefined part means that neither
 * the arms nor the filter met it, but a statement of the ranking.
 */
export function warningOf(part: Part | undefined): string {
  return part === undefined
    ? "The search took too long and was not finished, so hits may be missing; try again."
    : WITHOUT[part];
}

export const PATHS_TOO_LONG =
  "Nothing was searched: comparing these `paths` with all paths of the memory would take too long. Name fewer patterns with `*` in front or inside, or begin them with a folder.";

/** Returns the warning that the keyword arm left out some words of the question, if it did. */
export function shorteningOf({ shortened }: KeywordAnswer): string[] {
  if (!shortened) return [];
  const { kept, terms } = shortened;
  return [
    `The keyword search looked for the ${kept} rarest of the question's ${terms} words, as all of them would take too long; ask a shorter question to have each of them count.`,
  ];
}
