import { AppError, type ErrorCode, isDatabaseState } from "../base/errors.ts";
import { NoAnswer } from "./answer-watch.ts";
import { PoolBusy } from "./lane-queue.ts";

/**
 * Returns the SQLSTATE of a driver error, or of the driver error that `translateDatabaseError`
 * translated; undefined for anything else. Errors are recognised by SQLSTATE, and by text only for
 * two errors of Citus (`isNodeLost`, `isNodeBehind`).
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
  undefinedColumn: "42703",
  duplicateTable: "42P07",
  duplicateColumn: "42701",
  unknownStatement: "26000",
  duplicateStatement: "42P05",
  lockNotAvailable: "55P03",
  invalidSchemaName: "3F000",
  invalidParameterValue: "22023",
  abortedTransaction: "25P02",
  serializationFailure: "40001",
  deadlockDetected: "40P01",
  readOnly: "25006",
  queryCanceled: "57014",
  diskFull: "53100",
} as const;

/**
 * Returns whether a server process refuses a role to its connection. The process caches role
 * memberships, and the cache can miss a grant that was committed while the process was reading it
 * (seen once in 631 agents that were created four at a time).
 */
export function isRoleRefused(error: unknown): boolean {
  // Postgres refuses SET ROLE in this routine. It refuses a table that a role may not read in
  // another.
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

/**
 * The answer to a client for a state of the server: the error code, and a sentence with the remedy.
 */
type State = readonly [code: ErrorCode, message: string];

const SILENT: State = [
  "database_unavailable",
  `The database did not answer in time, so the connection to it was closed; ${TRY_AGAIN}`,
];
const UNAVAILABLE: State = ["database_unavailable", `The database cannot be reached right now; ${TRY_AGAIN}`];
const REFUSED: State = [
  "database_unavailable",
  "The database refuses the service's login, or has no database of that name. The operator corrects DATABASE_URL; `recollect doctor` tells which.",
];
const CONFLICT: State = ["database_busy", `Other requests hold database locks that this request needs; ${TRY_AGAIN}`];

/**
 * States by SQLSTATE. A SQLSTATE that is neither here nor in one of the classes below is a fault,
 * ours or the server's.
 */
const STATES: Readonly<Record<string, State>> = {
  "25P03": [
    "database_timeout",
    `The database ended a transaction that was idle for too long; ${TRY_AGAIN} If it happens often, the process has too much work for its processors.`,
  ],
  "25P04": [
    "database_timeout",
    `The database ended a transaction at its time limit. Try again with less, or have the operator raise transaction_timeout for the service's login.`,
  ],
  [SQLSTATE.queryCanceled]: [
    "database_timeout",
    "The database ended a statement at its time limit. Try again with less at a time.",
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
  [SQLSTATE.diskFull]: [
    "database_full",
    "The database's disk is full, so nothing can be stored until the operator has made room. Acknowledged writes are not lost.",
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
 * The texts with which Citus, and the library that connects it to workers, report that a connection
 * to a worker has ended.
 */
const NODE_LOST =
  /^(failure on connection marked as essential|server closed the connection unexpectedly|SSL (connection has been closed|SYSCALL error)|no connection to the server|connection not open|could not (receive data from|send data to) server|terminating connection due to unexpected postmaster exit)/;

/**
 * Returns whether a transaction lost its worker of a Citus cluster after it had begun there. This
 * error and the next can only be recognised by their texts, because Citus gives them the SQLSTATEs
 * of other errors.
 */
function isNodeLost(error: unknown): boolean {
  return sqlState(error) === "XX000" && NODE_LOST.test(messageOf(error));
}

/**
 * Returns whether a worker's catalogue is out of date. This lasts some seconds while the standby of
 * another worker takes that worker's place.
 */
function isNodeBehind(error: unknown): boolean {
  return sqlState(error) === "55000" && /is a metadata node, but is out of sync$/.test(messageOf(error));
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown } | null)?.message);
}

/**
 * Returns whether a server reported that it cannot connect to another server of the cluster, or
 * that it lost that connection.
 */
export function isNodeConnectionFailure(error: unknown): error is { message: string; detail?: string } {
  return isNodeLost(error) || (sqlState(error)?.startsWith("08") === true && severityOf(error) === "ERROR");
}

/**
 * Returns the answer to a client for a driver error; undefined for an error that is not a state of
 * the server. Class 08 is a connection exception, 57P is operator intervention.
 */
function stateOf(error: unknown): State | undefined {
  const state = sqlState(error);
  if (error instanceof NoAnswer) return SILENT;
  if (isNodeLost(error) || isNodeBehind(error)) return UNAVAILABLE;
  if (state !== undefined) return STATES[state] ?? (/^(08|57P)/.test(state) ? UNAVAILABLE : undefined);
  const code = (error as { code?: unknown } | null)?.code;
  const isLost =
    (typeof code === "string" && UNREACHABLE.has(code)) ||
    (error instanceof Error && /^(Connection terminated|timeout exceeded|Client has encountered)/.test(error.message));
  return isLost ? UNAVAILABLE : undefined;
}

/**
 * Translates a state of the server into the error that a client sees, with the driver's error as
 * its cause. Returns every other error unchanged.
 *
 * @param readOnly whether our own transaction forbids writes; then a read-only error does not come
 *   from a read-only server
 */
export function translateDatabaseError(error: unknown, readOnly = false): unknown {
  if (error instanceof AppError) return error;
  const state = stateOf(error);
  if (!state || (readOnly && sqlState(error) === SQLSTATE.readOnly)) return error;
  const [code, message] = state;
  return new AppError(code, message, { cause: error });
}

/** Returns whether an error affects every request to the database now, not this request alone. */
export function isOutage(error: unknown): boolean {
  return error instanceof PoolBusy || (isDatabaseState(error) && error.cause !== undefined && OUTAGES.has(error.code));
}

const OUTAGES: ReadonlySet<ErrorCode> = new Set([
  // A write that may be stored must not be tried again.
  "outcome_unknown",
  ...(["database_unavailable", "database_read_only", "database_full"] as const),
]);

/**
 * Returns whether the connection of a failed statement should be closed: the connection is lost, or
 * it leads to a server that no longer takes writes because another has become the primary.
 */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  // With severity ERROR, a Citus coordinator reports that it lost a worker. Our connection to the
  // coordinator is still open.
  if (state?.startsWith("08") && severityOf(error) === "ERROR") return false;
  return state === undefined || state === SQLSTATE.readOnly || /^(08|57P|25P0[34])/.test(state);
}

function severityOf(error: unknown): unknown {
  const source = isDatabaseState(error) ? error.cause : error;
  return (source as { severity?: unknown } | null | undefined)?.severity;
}
