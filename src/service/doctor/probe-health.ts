import { isReadOnly } from "../../db/inspect-database.ts";
import type { Deps } from "../deps.ts";

/** What a process says of its database to whoever decides where requests go. */
export type Readiness = "ready" | "database unavailable" | "database read-only";

/**
 * Whether all requests can be served. A database that takes no writes is not ready: a balancer should send requests where it does.
 * Those that come all the same are served as far as they only read.
 */
export async function probeReady(deps: Pick<Deps, "db">): Promise<Readiness> {
  try {
    return (await isReadOnly(deps.db)) ? "database read-only" : "ready";
  } catch {
    return "database unavailable";
  }
}
