import { AppError, type ErrorCode, isDatabaseState } from "../base/errors.ts";

/**
 * The SQLSTATE of a driver error, or of the one that `translateDatabaseError` translated; undefined for anything else. Errors are
 * recognised by it only, never by text.
 */
export function sqlState(error: unknown): string | undefined {
  const source = isDatabaseState(error) ? error.cause : error;
  const code = (source as { code?: unknown } | null | undefined)?.code;
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
  readOnly: "25006",
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

const TRY_AGAIN = "try again in a moment.";
const TOO_LONG = "Try again with less, or have the operator raise";

/** What a client is told of a state of the server: its code, and a sentence with the remedy. */
type State = readonly [code: ErrorCode, message: string];

const UNAVAILABLE: State = ["database_unavailable", `The database cannot be reached right now; ${TRY_AGAIN}`];
const REFUSED: State = [
  "database_unavailable",
  "The database refuses the service's login, or has no database of that name. The operator mends DATABASE_URL; `recollect doctor` says which it is.",
];
const CONFLICT: State = ["database_busy", `Other requests hold what this one needs in the database; ${TRY_AGAIN}`];

/** States by SQLSTATE. What is not here and in none of the classes below is a fault, of ours or of the server. */
const STATES: Readonly<Record<string, State>> = {
  "25P03": [
    "database_timeout",
    `The database ended a transaction that was idle for too long. ${TOO_LONG} idle_in_transaction_session_timeout for the service's login.`,
  ],
  "25P04": [
    "database_timeout",
    `The database ended a transaction at its time limit. ${TOO_LONG} transaction_timeout for the service's login.`,
  ],
  "57014": [
    "database_timeout",
    `The database ended a statement at its time limit. ${TOO_LONG} statement_timeout for the service's login.`,
  ],
  [SQLSTATE.lockNotAvailable]: CONFLICT,
  [SQLSTATE.serializationFailure]: CONFLICT,
  [SQLSTATE.deadlockDetected]: CONFLICT,
  "28P01": REFUSED,
  "28000": REFUSED,
  "3D000": REFUSED,
  "53200": ["database_busy", `The database server is out of memory; ${TRY_AGAIN} The operator finds why in its log.`],
  "53300": [
    "database_busy",
    `The database has no connection left; ${TRY_AGAIN} The operator raises max_connections, or lowers RECOLLECT_DB_POOL.`,
  ],
  "53100": [
    "database_full",
    "The database's disk is full, so nothing can be stored until the operator has made room. What was acknowledged is not lost.",
  ],
  "53400": [
    "database_full",
    "The request needs more temporary disk space than the database gives it. Ask for less, or have the operator raise temp_file_limit.",
  ],
  [SQLSTATE.readOnly]: [
    "database_read_only",
    "The database takes no writes right now: the server is a replica, or was set read-only. Try again when it is the primary; reads and searches work.",
  ],
  "57P03": ["database_unavailable", `The database is starting, or recovers from a crash; ${TRY_AGAIN}`],
};

/**
 * Whether a transaction lost its worker of a Citus cluster after it had written there. The one error that its text tells: Citus
 * gives it the SQLSTATE of any internal error.
 */
function isNodeLost(error: unknown): boolean {
  const { message } = error as { message?: unknown };
  return sqlState(error) === "XX000" && /^failure on connection marked as essential/.test(String(message));
}

/**
 * What a client is told of a driver error; undefined when it is no state of the server. 08: connection exception, 57P: operator
 * intervention.
 */
function stateOf(error: unknown): State | undefined {
  const state = sqlState(error);
  if (isNodeLost(error)) return UNAVAILABLE;
  if (state !== undefined) return STATES[state] ?? (/^(08|57P)/.test(state) ? UNAVAILABLE : undefined);
  const code = (error as { code?: unknown } | null)?.code;
  const isLost =
    (typeof code === "string" && UNREACHABLE.has(code)) ||
    (error instanceof Error && /^(Connection terminated|timeout exceeded|Client has encountered)/.test(error.message));
  return isLost ? UNAVAILABLE : undefined;
}

/**
 * Turns a state of the server into the error that a client sees, with the driver's error as its cause; leaves every other error
 * as it is.
 *
 * @param readOnly whether our own transaction forbids writes; then it is not the server that does
 */
export function translateDatabaseError(error: unknown, readOnly = false): unknown {
  if (error instanceof AppError) return error;
  const state = stateOf(error);
  if (!state || (readOnly && sqlState(error) === SQLSTATE.readOnly)) return error;
  const [code, message] = state;
  return new AppError(code, message, { cause: error });
}

/** Whether an error is the server's and concerns everything that is asked of it now, not this request alone. */
export function isOutage(error: unknown): boolean {
  return isDatabaseState(error) && error.cause !== undefined && OUTAGES.has(error.code);
}

const OUTAGES: ReadonlySet<ErrorCode> = new Set(["database_unavailable", "database_read_only", "database_full"]);

/**
 * Whether the connection of a failed statement should be closed: it is lost, or it leads to a server that takes no writes any more
 * while another has become the primary.
 */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  // A coordinator that says so of its own accord has lost a worker; its connection to us lives.
  if (state?.startsWith("08") && severityOf(error) === "ERROR") return false;
  return state === undefined || state === SQLSTATE.readOnly || /^(08|57P|25P0[34])/.test(state);
}

function severityOf(error: unknown): unknown {
  const source = isDatabaseState(error) ? error.cause : error;
  return (source as { severity?: unknown } | null | undefined)?.severity;
}
