import { AppError, type ErrorCode } from "../../base/errors.ts";
import type { Unavailable } from "./search-schemas.ts";

const LATER = "Tell the user that memory could not be searched, and try again in a moment.";
const OPERATOR = "Tell the user that memory could not be searched, and that whoever runs the service has to";

/**
 * The action that a model should take, for each error that only means that memory cannot be
 * searched now.
 */
const ACTIONS: Partial<Record<ErrorCode, string>> = {
  database_unavailable: LATER,
  database_busy: LATER,
  database_timeout:
    "Tell the user that memory could not be searched, and try again with a shorter or narrower question.",
  database_read_only: LATER,
  database_full: `${OPERATOR} make room on the database's disk.`,
  // A client such as `recollect mcp` reports this error.
  service_unreachable: `${OPERATOR} start it if it does not answer in a moment.`,
};

/**
 * Returns the fields that a search tool adds to its empty list; undefined for an error of the
 * caller or a bug.
 */
export function unavailableFor(code: ErrorCode): Unavailable | undefined {
  const action = ACTIONS[code];
  if (action === undefined) return undefined;
  const warning = "Memory search is unavailable right now.";
  return { disabled: true, unavailable: true, error: code, warning, action };
}

/**
 * Returns the fields of `unavailableFor` for an error.
 *
 * @throws the error, if it has no such fields
 */
export function memoryUnavailable(error: unknown): Unavailable {
  const answer = error instanceof AppError ? unavailableFor(error.code) : undefined;
  if (!answer) throw error;
  return answer;
}
