import type { KeywordAnswer } from "../../db/agent/search/keyword-search.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";

/** How long a statement of a search may take, unless the process is told otherwise. */
export const SEARCH_TIMEOUT_MS = 5000;

/** The parts of a search that may meet the limit. */
type Part = "keyword" | "vector" | "filter";

/** Which part of a search of one memory met the time limit first; another one in its transaction fails with it. */
export interface Lateness {
  part?: Part;
}

/** The setting of a search's transaction that ends a statement at its limit. */
export function timeLimit(timeoutMs: number): string {
  return `SET LOCAL statement_timeout = ${Math.trunc(timeoutMs)}`;
}

/** Whether Postgres ended a statement at its time limit. */
export function isLate(error: unknown): boolean {
  return sqlState(error) === SQLSTATE.queryCanceled;
}

/** Does a part of a search, and notes when it meets the limit. */
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

/** What an answer says of a part that met the limit; undefined: none of these, but what ranks their hits. */
export function warningOf(part: Part | undefined): string {
  return part === undefined ? "The memory was not searched to the end, which took too long; try again." : WITHOUT[part];
}

export const PATHS_TOO_LONG =
  "Nothing was searched: comparing these `paths` with all paths of the memory would take too long. Name fewer patterns with `*` in front or inside, or begin them with a folder.";

/** What an answer says when not all of the question's words were looked for. */
export function shorteningOf({ shortened }: KeywordAnswer): string[] {
  if (!shortened) return [];
  const { kept, terms } = shortened;
  return [
    `The keyword search looked for the ${kept} rarest of the question's ${terms} words, as all of them would take too long; ask a shorter question to have each of them count.`,
  ];
}
