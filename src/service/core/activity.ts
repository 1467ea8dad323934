import { LRUCache } from "lru-cache";
import { type Clock, DAY_MS } from "../../base/clock.ts";
import { AppError, isDatabaseState } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import {
  type ActivityRow,
  type ActivityWrite,
  insertActivity,
  LATENCY_CLASSES,
  trimActivity,
  trimHours,
} from "../../db/control/agent-activity.ts";
import type { Database } from "../../db/database.ts";
import type { Caller } from "../../settings/access.ts";
import { startWriteBehind } from "./write-behind.ts";

/**
 * Records who uses an agent's memory. No request waits for the record, and a crash loses the last
 * seconds.
 */
export interface Activity {
  /**
   * @param hits the number of hits of a search, of facts and quotations of a recall, or of facts that a
   *   capture stored; of `memory_get`, 1 if it found the text, else 0
   * @param tookMs the time that the call took; undefined: not measured
   */
  note(agent: AgentSpace, caller: Caller, kind: ActivityRow["kind"], hits: number, tookMs?: number): void;
  /** Records a call that failed. */
  noteFailure(agent: AgentSpace, caller: Caller, kind: ActivityRow["kind"], tookMs: number): void;
  /** Writes the recorded rows. */
  flush(): Promise<void>;
  /** Writes the remaining rows and stops. */
  stop(): Promise<void>;
}

/**
 * About the most rows that are kept of each agent, the newest ones; `ACTIVITY_TTL_MS` is how long
 * they are kept.
 */
export const MAX_ACTIVITY_ROWS = 2000;
export const ACTIVITY_TTL_MS = 30 * DAY_MS;
/** About the most sums by the hour that are kept of each agent, and how long they are kept. */
export const MAX_ACTIVITY_HOURS = 20_000;
export const HOURS_TTL_MS = 90 * DAY_MS;

/**
 * The rows that a process adds for an agent before it trims that agent's rows again: looking for
 * too many rows costs a millisecond.
 */
const TRIM_EVERY = 100;
/**
 * The most rows that wait in the process, a few megabytes. Rows pile up while the database is down,
 * or when many keys call many agents.
 */
const MAX_WAITING = 10_000;
/**
 * The largest count. The columns are integers, and a sum that waits for the database must not
 * exceed them.
 */
const MAX_COUNT = 2 ** 31 - 1;

export function startActivity(db: Database, clock: Clock, logger: Logger): Activity {
  /** The number of rows of each agent since they were last trimmed. */
  const untrimmed = new LRUCache<string, number>({ max: MAX_WAITING });
  const write = async (rows: Noted[]) => {
    for (const [agentSchema, { length }] of Map.groupBy(rows, ({ schemaName }) => schemaName)) {
      const count = untrimmed.get(agentSchema) ?? TRIM_EVERY;
      // Trimming comes first: if it fails, nothing has been inserted yet, and all rows are tried
      // again.
      if (count >= TRIM_EVERY) {
        await trimActivity(db, agentSchema, MAX_ACTIVITY_ROWS);
        await trimHours(db, agentSchema, MAX_ACTIVITY_HOURS);
      }
      untrimmed.set(agentSchema, count >= TRIM_EVERY ? length : count + length);
    }
    await insertActivity(db, rows);
  };
  const { add, flush, stop } = startWriteBehind<Noted>({
    what: "the activity of agents",
    keyOf: ({ schemaName, actor, kind }) => `${schemaName} ${kind} ${actor}`,
    sum: sumUp,
    write,
    maxRows: MAX_WAITING,
    logger,
  });
  const once = ({ schema }: AgentSpace, { actor }: Caller, kind: ActivityRow["kind"], tookMs?: number): Noted => {
    const ms = tookMs === undefined ? null : Math.min(MAX_COUNT, Math.max(0, Math.round(tookMs)));
    const row = { schemaName: unquoted(schema), at: clock(), actor, kind, times: 1, hits: 0, failed: 0, empty: 0 };
    return { ...row, ms, slowestMs: ms, latencies: classify(ms) };
  };
  return {
    note: (agent, caller, kind, hits, tookMs) =>
      add({ ...once(agent, caller, kind, tookMs), hits: Math.min(MAX_COUNT, hits), empty: hits === 0 ? 1 : 0 }),
    noteFailure: (agent, caller, kind, tookMs) => add({ ...once(agent, caller, kind, tookMs), failed: 1 }),
    flush,
    stop,
  };
}

type Noted = Required<ActivityWrite>;

/** Returns the number of calls in each class of latency, for one call. */
function classify(ms: number | null): number[] {
  const classes = new Array<number>(LATENCY_CLASSES.length + 1).fill(0);
  if (ms === null) return classes;
  const at = LATENCY_CLASSES.findIndex((most) => ms <= most);
  classes[at === -1 ? LATENCY_CLASSES.length : at] = 1;
  return classes;
}

function sumUp(one: Noted, other: Noted): Noted {
  const sum = (a: number, b: number) => Math.min(MAX_COUNT, a + b);
  const measured = one.ms !== null || other.ms !== null;
  return {
    ...one,
    at: one.at > other.at ? one.at : other.at,
    times: sum(one.times, other.times),
    hits: sum(one.hits, other.hits),
    failed: sum(one.failed, other.failed),
    empty: sum(one.empty, other.empty),
    ms: measured ? sum(one.ms ?? 0, other.ms ?? 0) : null,
    slowestMs: measured ? Math.max(one.slowestMs ?? 0, other.slowestMs ?? 0) : null,
    latencies: one.latencies.map((count, n) => sum(count, other.latencies[n] ?? 0)),
  };
}

/** The errors of the service itself. Every other error is a fault of the request. */
const FAILURES: ReadonlySet<string> = new Set(["embedder_unavailable", "model_unavailable", "overloaded", "internal"]);

/** Runs a search or recall of an agent, and records it if the service fails at it. */
export async function noticingFailure<T>(
  { activity }: { activity: Activity },
  {
    agent,
    caller,
    kind,
    begun,
  }: { agent: AgentSpace | undefined; caller: Caller; kind: ActivityRow["kind"]; begun: number },
  work: () => Promise<T>,
): Promise<T> {
  return work().catch((error: unknown) => {
    const code = error instanceof AppError ? error.code : "internal";
    if (agent && (isDatabaseState(error) || FAILURES.has(code)))
      activity.noteFailure(agent, caller, kind, performance.now() - begun);
    throw error;
  });
}
