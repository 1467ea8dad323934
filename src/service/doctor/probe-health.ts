import { setTimeout } from "node:timers/promises";
import { writeState } from "../../db/inspect-database.ts";
import type { Deps } from "../deps.ts";

/** What a process says of its database to whoever decides where requests go. */
export type Readiness = "ready" | "database unavailable" | "database read-only";

/** How long the database may take to say something trivial, and how long a probe waits for that and for a connection. */
const ANSWER_MS = 2_000;
const LATE_MS = 4_000;

/**
 * Whether all requests can be served. A database that takes no writes is not ready: a balancer should send requests where it does.
 * Those that come all the same are served as far as they only read. The embedded database is ready while its disk is full, as a server
 * with a full disk is: no other process could take its place.
 */
export async function probeReady(deps: Pick<Deps, "db">): Promise<Readiness> {
  const late = new AbortController();
  const timeout = setTimeout(LATE_MS, undefined, { signal: late.signal, ref: false });
  try {
    const answer = writeState(deps.db, ANSWER_MS).then((state) =>
      state === "read-only" ? ("database read-only" as const) : ("ready" as const),
    );
    return (await Promise.race([answer, timeout])) ?? "database unavailable";
  } catch {
    return "database unavailable";
  } finally {
    late.abort();
    timeout.catch(() => undefined);
  }
}
