import { AsyncLocalStorage } from "node:async_hooks";
import { currentContext } from "../base/request-context.ts";

/**
 * How long a server and a network may take, and how many may wait. Not settings: nobody could choose them sensibly, and they belong
 * together: a request that meets a dead network is answered within 30 seconds. Tests shorten them.
 */
export interface PgLimits {
  /** How long a caller waits for a free connection. */
  waitMs: number;
  /** The most callers of one tenant that wait for a connection; more are refused at once. */
  maxWaiting: number;
  /** How long a server may take to accept a connection. */
  connectMs: number;
  /** Of one statement of a request that only reads, and of one outside a transaction. */
  readMs: number;
  /** Of one statement of a request that writes. */
  writeMs: number;
  /** Of one statement of a job, of the service itself, and of a request that is known to take long. */
  longMs: number;
  /** Of a lock that a request waits for. Shorter than its statement, so that the error names the lock. */
  lockMs: number;
  /** How long a transaction may stay open without a statement: its process may be unreachable, and its locks hold up others. */
  idleMs: number;
  /** How much later than the server this process gives a statement up. */
  graceMs: number;
  rollbackMs: number;
  /** How often the server is asked whether a statement that may take long still runs. */
  lookMs: number;
  /** An idle connection is tried so often, and has to answer within `tryMs`. */
  restMs: number;
  tryMs: number;
}

export const PG_LIMITS: PgLimits = {
  waitMs: 12_000,
  maxWaiting: 1000,
  connectMs: 8_000,
  readMs: 10_000,
  writeMs: 12_000,
  longMs: 3_600_000,
  lockMs: 8_000,
  idleMs: 30_000,
  graceMs: 2_000,
  rollbackMs: 5_000,
  lookMs: 10_000,
  restMs: 10_000,
  tryMs: 5_000,
};

/** Of one build of an index over vectors, which takes hours for millions of them on a small server. */
export const BUILD_MS = 12 * 3_600_000;

const long = new AsyncLocalStorage<true>();

/**
 * Runs a part of a request whose statements may take as long as those of a job: what reads or changes a whole memory, such as an
 * erasure or an import.
 */
export function takingLong<T>(fn: () => T): T {
  return long.run(true, fn);
}

/** How long one statement that is sent now may take, and whether it may wait for a lock as long. */
export function statementLimit(limits: PgLimits, kind: "readMs" | "writeMs"): { limitMs: number; isLong: boolean } {
  const context = currentContext();
  const isLong = long.getStore() === true || context === undefined || context.jobId !== undefined;
  return { limitMs: isLong ? limits.longMs : limits[kind], isLong };
}
