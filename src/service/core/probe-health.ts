import { setTimeout } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { writeState } from "../../db/inspect-database.ts";
import { hasControlSchema } from "../../db/migrate/control.ts";
import { isQueueInstalled } from "../../queue/pg-boss-health.ts";
import type { CoreDeps } from "./core-deps.ts";

/** The state of the database as a process reports it to an orchestrator or load balancer. */
export type Readiness = "ready" | "database unavailable" | "database busy" | "database read-only" | "database empty";

/**
 * How long the database may take for a trivial statement (`ANSWER_MS`), and how long a probe waits
 * for a connection and this statement together (`LATE_MS`).
 */
const ANSWER_MS = 2_000;
const LATE_MS = 4_000;

/**
 * Returns whether all requests can be served. A database that takes no writes is not ready, because
 * a load balancer should send requests to a process whose database does. Requests that arrive all
 * the same are served if they only read. An embedded database with a full disk counts as ready, and
 * so does a server with a full disk: no other process could take over.
 */
export async function probeReady(deps: Pick<CoreDeps, "db">): Promise<Readiness> {
  const late = new AbortController();
  const timeout = setTimeout(LATE_MS, undefined, { signal: late.signal, ref: false });
  try {
    const answer = stateOf(deps.db);
    return (await Promise.race([answer, timeout])) ?? "database unavailable";
  } catch (error) {
    return error instanceof AppError && error.code === "database_busy" ? "database busy" : "database unavailable";
  } finally {
    late.abort();
    timeout.catch(() => undefined);
  }
}

/**
 * Returns the state of a database that answers. One that was dropped and made anew under a running
 * process answers too, and has none of the service's tables.
 */
async function stateOf(db: SqlExecutor): Promise<Readiness> {
  if ((await writeState(db, ANSWER_MS)) === "read-only") return "database read-only";
  return (await hasControlSchema(db)) && (await isQueueInstalled(db)) ? "ready" : "database empty";
}
