import { AppError } from "../base/errors.ts";

/** The SQLSTATE of a driver error; undefined for anything else. Errors are recognised by it only, never by text. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

export const SQLSTATE = {
  undefinedFile: "58P01",
  featureNotSupported: "0A000",
  insufficientPrivilege: "42501",
  duplicateObject: "42710",
  uniqueViolation: "23505",
  foreignKeyViolation: "23503",
  dependentObjects: "2BP01",
  undefinedTable: "42P01",
  unknownStatement: "26000",
  duplicateStatement: "42P05",
  lockNotAvailable: "55P03",
  invalidSchemaName: "3F000",
  invalidParameterValue: "22023",
  abortedTransaction: "25P02",
  serializationFailure: "40001",
  deadlockDetected: "40P01",
} as const;

/**
 * Whether a connection may not take a role, as its server process believes: what that remembers of memberships can be from before
 * a grant that was committed while it was looking (met once in 631 agents that were made four at a time).
 */
export function isRoleRefused(error: unknown): boolean {
  // A table that a role may not read is refused by another routine.
  const { routine } = error as { routine?: unknown };
  return sqlState(error) === SQLSTATE.insufficientPrivilege && routine === "call_string_check_hook";
}

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EPIPE",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** True when the server cannot be reached or is going away, so that the caller may try again later. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  // 08: connection exception, 53300: too many connections, 57P: operator intervention. The rest of class 53 (disk or memory
  // full) is a fault to be mended and must not pass for a moment's absence. 25006: read only, as the old primary in a failover.
  if (state !== undefined)
    return state.startsWith("08") || state === "53300" || state === "25006" || state.startsWith("57P");
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && UNREACHABLE.has(code)) return true;
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/.test(error.message)
  );
}

/** Turns a lost database into the error a client sees; leaves every other error as it is. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  return new AppError("database_unavailable", "The database cannot be reached right now; try again in a moment.", {
    cause: error,
  });
}
