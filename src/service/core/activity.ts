import { LRUCache } from "lru-cache";
import { type Clock, DAY_MS } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import { type ActivityRow, insertActivity, trimActivity } from "../../db/control/agent-activity.ts";
import type { Database } from "../../db/database.ts";
import type { Caller } from "../../settings/access.ts";
import { startWriteBehind } from "./write-behind.ts";

/**
 * Records who uses an agent's memory. No request waits for the record, and a crash loses the last
 * seconds.
 */
export interface Activity {
  /**
   * @param hits the number of hits of a search, of facts and quotations of a recall, or of facts
   *   that a capture stored
   */
  note(agent: AgentSpace, caller: Caller, kind: ActivityRow["kind"], hits: number): void;
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
  const write = async (rows: ActivityRow[]) => {
    for (const [agentSchema, { length }] of Map.groupBy(rows, ({ schemaName }) => schemaName)) {
      const count = untrimmed.get(agentSchema) ?? TRIM_EVERY;
      // Trimming comes first: if it fails, nothing has been inserted yet, and all rows are tried
      // again.
      if (count >= TRIM_EVERY) await trimActivity(db, agentSchema, MAX_ACTIVITY_ROWS);
      untrimmed.set(agentSchema, count >= TRIM_EVERY ? length : count + length);
    }
    await insertActivity(db, rows);
  };
  const { add, flush, stop } = startWriteBehind<ActivityRow>({
    what: "the activity of agents",
    keyOf: ({ schemaName, actor, kind }) => `${schemaName} ${kind} ${actor}`,
    sum: (one, other) => ({
      ...one,
      at: one.at > other.at ? one.at : other.at,
      times: Math.min(MAX_COUNT, one.times + other.times),
      hits: Math.min(MAX_COUNT, one.hits + other.hits),
    }),
    write,
    maxRows: MAX_WAITING,
    logger,
  });
  const note: Activity["note"] = ({ schema }, { actor }, kind, hits) =>
    add({ schemaName: unquoted(schema), at: clock(), actor, kind, times: 1, hits: Math.min(MAX_COUNT, hits) });
  return { note, flush, stop };
}
