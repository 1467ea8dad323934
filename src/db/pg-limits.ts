import { AsyncLocalStorage } from "node:async_hooks";
import { currentContext } from "../base/request-context.ts";

/**
 * How long a server and a network may take, and how many callers may wait. These are not settings:
 * no operator could choose them sensibly, and they depend on each other. A request that meets a
 * dead network is answered within 30 seconds. Tests shorten them.
 */
export interface PgLimits {
  /** How long a caller waits for a free connection. */
  waitMs: number;
  /**
   * The most callers of one tenant that wait for a connection. Further callers are refused at once.
   */
  maxWaiting: number;
  /** How long a server may take to accept a connection. */
  connectMs: number;
  /** The limit of one statement in a read-only request, and of one outside a transaction. */
  readMs: number;
  /** The limit of one statement in a request that writes. */
  writeMs: number;
  /**
   * The limit of one statement in a job, in the service's own work, and in a request that is known
   * to take long.
   */
  longMs: number;
  /**
   * How long a request waits for a lock. Shorter than its statement's limit, so that the error
   * names the lock.
   */
  lockMs: number;
  /**
   * How long a transaction may stay open without a statement. Its process may be unreachable, and
   * its locks block others.
   */
  idleMs: number;
  /** How much longer than the server this process waits before it gives up a statement. */
  graceMs: number;
  rollbackMs: number;
  /** How often the server is asked whether a statement with a long limit still runs. */
  lookMs: number;
  /** How long a connection is idle before it is tested. It then has to answer within `tryMs`. */
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

/**
 * The limit of one build of an index over vectors. A build of millions of vectors takes hours on a
 * small server.
 */
export const BUILD_MS = 12 * 3_600_000;

const long = new AsyncLocalStorage<true>();

/**
 * Runs a part of a request with the statement limit of a job. For requests that read or change a
 * whole memory, such as an erasure or an import.
 */
export function takingLong<T>(fn: () => T): T {
  return long.run(true, fn);
}

/**
 * Returns the limit of a statement that is sent now. `isLong` tells whether it is the long limit,
 * under which the statement may also wait that long for a lock.
 */
export function statementLimit(limits: PgLimits, kind: "readMs" | "writeMs"): { limitMs: number; isLong: boolean } {
  const context = currentContext();
  const isLong = long.getStore() === true || context === undefined || context.jobId !== undefined;
  return { limitMs: isLong ? limits.longMs : limits[kind], isLong };
}
