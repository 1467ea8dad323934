import { AppError } from "../../base/errors.ts";
import type { Unavailable } from "./search-types.ts";

/** The answer to a database that is away. @throws the error, when it is another */
export function memoryUnavailable(error: unknown): Unavailable {
  if (!(error instanceof AppError) || error.code !== "database_unavailable") throw error;
  return {
    ...{ disabled: true, unavailable: true, error: error.code },
    warning: "Memory search is unavailable right now.",
    action: "Tell the user that memory could not be searched, and try again in a moment.",
  };
}
