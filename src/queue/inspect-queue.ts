import type { Db } from "pg-boss";
import { DEAD_LETTER, QUEUE_SCHEMA } from "./inspect-jobs.ts";
import { SCHEDULE_JOB } from "./job-contracts.ts";

/** How the queue is doing, read from its tables without starting it. */
export interface QueueFacts {
  isThere: boolean;
  /** Jobs that could be taken now. */
  due: number;
  oldestDueMs: number;
  deadLetters: number;
  /**
   * For how long nobody has taken the schedule, which asks for itself every minute; 0 while somebody works. Infinite when
   * no worker was ever there.
   */
  workerSilentMs: number;
}

const NONE: QueueFacts = { isThere: false, due: 0, oldestDueMs: 0, deadLetters: 0, workerSilentMs: 0 };

/** @throws what the driver throws when the login may not read the queue */
export async function inspectQueue(db: Db): Promise<QueueFacts> {
  const found = await db.executeSql(`SELECT to_regclass('${QUEUE_SCHEMA}.job') IS NOT NULL AS "isThere"`);
  if (found.rows[0]?.isThere !== true) return NONE;
  const { rows } = await db.executeSql(
    `SELECT count(*) FILTER (WHERE is_due)::int AS due,
            coalesce(max(waited_ms) FILTER (WHERE is_due), 0)::float8 AS "oldestDueMs",
            count(*) FILTER (WHERE name = '${DEAD_LETTER}')::int AS "deadLetters",
            bool_or(state = 'active') AS "isBusy",
            max(waited_ms) FILTER (WHERE name = $1 AND payload_reason = 'interval')::float8 AS "scheduleMs"
       FROM (SELECT name, state, data->>'reason' AS payload_reason,
                    name <> '${DEAD_LETTER}' AND name <> $1 AND state IN ('created', 'retry') AND start_after <= now() AS is_due,
                    extract(epoch FROM now() - start_after) * 1000 AS waited_ms
               FROM ${QUEUE_SCHEMA}.job WHERE state IN ('created', 'retry', 'active')) AS jobs`,
    [SCHEDULE_JOB.name],
  );
  const { isBusy, scheduleMs, ...counts } = (rows[0] ?? {}) as Record<string, unknown> & { scheduleMs?: number | null };
  const silentMs = scheduleMs === null || scheduleMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, scheduleMs);
  const facts = counts as Pick<QueueFacts, "due" | "oldestDueMs" | "deadLetters">;
  return { isThere: true, ...facts, workerSilentMs: isBusy === true ? 0 : silentMs };
}
