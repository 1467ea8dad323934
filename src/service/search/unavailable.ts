import { AppError, type ErrorCode } from "../../base/errors.ts";
import type { Unavailable } from "./search-schemas.ts";

const LATER = "Tell the user that memory could not be searched, and try again in a moment.";
const OPERATOR = "Tell the user that memory could not be searched, and that whoever runs the service has to";

/** What a model should do about each error that only says that memory cannot be searched now. */
const ACTIONS: Partial<Record<ErrorCode, string>> = {
  database_unavailable: LATER,
  database_busy: LATER,
  database_timeout:
    "Tell the user that memory could not be searched, and try again with a shorter or narrower question.",
  database_read_only: LATER,
  database_full: `${OPERATOR} make room on the database's disk.`,
  // Reported by a client, such as `recollect mcp`.
  service_unreachable: `${OPERATOR} start it if it does not answer in a moment.`,
};

/** What a tool that searches answers besides its empty list; undefined for an error that is the caller's or a fault. */
export function unavailableFor(code: ErrorCode): Unavailable | undefined {
  const action = ACTIONS[code];
  if (action === undefined) return undefined;
  const warning = "Memory search is unavailable right now.";
  return { disabled: true, unavailable: true, error: code, warning, action };
}

/** The same for an error. @throws the error, when it is another */
export function memoryUnavailable(error: unknown): Unavailable {
  const answer = error instanceof AppError ? unavailableFor(error.code) : undefined;
  if (!answer) throw error;
  return answer;
}
