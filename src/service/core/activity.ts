import { LRUCache } from "lru-cache";
import type { Caller } from "../../agents/access.ts";
import { type Clock, DAY_MS } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { AgentSpace } from "../../db/agent/space/agent-transaction.ts";
import { unquoted } from "../../db/agent/space/schema-name.ts";
import { type ActivityRow, insertActivity, trimActivity } from "../../db/control/agent-activity.ts";
import type { Database } from "../../db/database.ts";
import { startWriteBehind } from "./write-behind.ts";

/** Notes who uses an agent's memory. Nobody waits for it, and a crash loses the last seconds. */
export interface Activity {
  /** @param hits of a search, facts and quotations of a recall, facts that a capture stored */
  note(agent: AgentSpace, caller: Caller, kind: ActivityRow["kind"], hits: number): void;
  /** Writes what was noted. */
  flush(): Promise<void>;
  /** Writes the rest and ends. */
  stop(): Promise<void>;
}

/** About as many rows of an agent are kept, the newest, and for so long. */
export const MAX_ACTIVITY_ROWS = 2000;
export const ACTIVITY_TTL_MS = 30 * DAY_MS;

/** Rows that a process adds to an agent's before it looks again whether they are too many: looking costs a millisecond. */
const TRIM_EVERY = 100;
/** What may wait in the process: a few megabytes, while the database is away or under a flood of keys and agents. */
const MAX_WAITING = 10_000;
/** The columns are integers; a sum that waits for a database must not pass them. */
const MAX_COUNT = 2 ** 31 - 1;

export function startActivity(db: Database, clock: Clock, logger: Logger): Activity {
  /** Rows of each agent since they were last trimmed. */
  const untrimmed = new LRUCache<string, number>({ max: MAX_WAITING });
  const write = async (rows: ActivityRow[]) => {
    for (const [agentSchema, { length }] of Map.groupBy(rows, ({ schemaName }) => schemaName)) {
      const count = untrimmed.get(agentSchema) ?? TRIM_EVERY;
      // First, so that what fails here has added nothing yet and is tried again as a whole.
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
