// Finds out whether workers serve pg-boss's queue. It reads pg-boss's own table, like
// pg-boss-sql.ts.
import type { Db } from "pg-boss";
import { SCHEDULE_JOB } from "./job-contracts.ts";
import { DEAD_LETTER, JOB_TABLE } from "./pg-boss-sql.ts";

/** A process looks for due jobs every two seconds, and is notified of new ones at once. */
const UNTAKEN_SECONDS = 3;
/**
 * A job whose worker was killed stays active until another worker looks after it. A live worker
 * does so every ten seconds.
 */
const DEAD_SECONDS = 30;

const RECENT_SECONDS = 5;

const LAST_SIGN = "coalesce(heartbeat_on, started_on)";
const TAKEABLE = `state IN ('created', 'retry') AND NOT blocked AND name <> '${DEAD_LETTER}'`;
const IS_FRESH = `state = 'active' AND ${LAST_SIGN} > now() - interval '${DEAD_SECONDS} s'`;
/** A busy worker has no active job between two jobs. */
const JUST_DONE = `greatest(started_on, completed_on) > now() - interval '${RECENT_SECONDS} s'`;
/**
 * The jobs that this service's workers take. $1 has the names of its kinds, or is null for all
 * kinds. Jobs of a feature that is switched off wait for a process that has the feature, so they
 * say nothing about a worker.
 */
const IS_OURS = "($1::text[] IS NULL OR name = ANY($1))";
const IS_UNTAKEN = `${IS_OURS} AND ${TAKEABLE} AND start_after < now() - interval '${UNTAKEN_SECONDS} s'`;
const IS_ABANDONED = `state = 'active' AND ${LAST_SIGN} <= now() - interval '${DEAD_SECONDS} s'`;

/**
 * The test whether a worker runs. Either a worker gave a recent sign: the heartbeat of an active
 * job, or a job that has just ended. Or nothing was left undone: no due job has waited longer than
 * a worker would leave it, and no job is left over from a killed worker. Doctor, status, metrics
 * and commands that wait all use this test.
 */
const IS_WORKED = `(EXISTS (SELECT FROM ${JOB_TABLE} WHERE ${IS_FRESH} OR state <> 'active' AND ${JUST_DONE})
   OR NOT EXISTS (SELECT FROM ${JOB_TABLE} WHERE ${IS_UNTAKEN})
      AND NOT EXISTS (SELECT FROM ${JOB_TABLE} WHERE ${IS_ABANDONED}))`;

/**
 * Returns whether a worker runs; also true while no job has been due for long enough to tell.
 *
 * @param kinds the names of the kinds of jobs that the service has
 */
export async function isWorked(db: Db, kinds: readonly string[]): Promise<boolean> {
  const { rows } = await db.executeSql(`SELECT ${IS_WORKED} AS worked`, [kinds]);
  return rows[0]?.worked === true;
}

/**
 * Returns for how long there has been no sign of a worker although jobs were due; 0 while one runs,
 * infinite when there never was one.
 *
 * @param kinds the names of the kinds of jobs that the service has; null: all kinds
 */
export async function workerSilentMs(db: Db, kinds: readonly string[] | null): Promise<number> {
  const { rows } = await db.executeSql(
    `SELECT ${IS_WORKED} AS worked,
            EXISTS (SELECT FROM ${JOB_TABLE} WHERE state = 'active' OR name = $2 AND data->>'reason' = 'interval') AS "wasWorked",
            (SELECT extract(epoch FROM now() - min(CASE state WHEN 'active' THEN ${LAST_SIGN} ELSE start_after END)) * 1000
               FROM ${JOB_TABLE}
              WHERE NOT ${IS_WORKED}
                AND (${IS_UNTAKEN} OR ${IS_ABANDONED}))::float8 AS "silentMs"`,
    [kinds, SCHEDULE_JOB.name],
  );
  const { worked, wasWorked, silentMs } = rows[0] as { worked: boolean; wasWorked: boolean; silentMs: number | null };
  if (!wasWorked) return Number.POSITIVE_INFINITY;
  return worked ? 0 : (silentMs ?? 0);
}

/** The state of the queue, read from its tables without starting it. */
export interface QueueHealth {
  isInstalled: boolean;
  /** The jobs that a worker could take now. */
  due: number;
  oldestDueMs: number;
  /** The jobs that have failed and wait for their next try, and the time of the first of these tries. */
  retries: number;
  nextTryAt: Date | null;
  deadLetters: number;
  /** The result of `workerSilentMs`. */
  workerSilentMs: number;
}

const NO_QUEUE: QueueHealth = {
  isInstalled: false,
  due: 0,
  oldestDueMs: 0,
  retries: 0,
  nextTryAt: null,
  deadLetters: 0,
  workerSilentMs: 0,
};

/** Returns whether the database has the queue's tables. */
export async function isQueueInstalled(db: Db): Promise<boolean> {
  const { rows } = await db.executeSql(`SELECT to_regclass('${JOB_TABLE}') IS NOT NULL AS "isInstalled"`);
  return rows[0]?.isInstalled === true;
}

/**
 * Reads the state of the queue.
 *
 * @param kinds the names of the kinds of jobs that the service has; null: all kinds
 * @throws the driver's error when the login may not read the queue
 */
export async function inspectQueue(db: Db, kinds: readonly string[] | null): Promise<QueueHealth> {
  if (!(await isQueueInstalled(db))) return NO_QUEUE;
  const { rows } = await db.executeSql(
    `SELECT count(*) FILTER (WHERE is_due)::int AS due,
            coalesce(max(waited_ms) FILTER (WHERE is_due), 0)::float8 AS "oldestDueMs",
            count(*) FILTER (WHERE is_retry)::int AS retries, min(start_after) FILTER (WHERE is_retry) AS "nextTryAt",
            count(*) FILTER (WHERE name = '${DEAD_LETTER}')::int AS "deadLetters"
       FROM (SELECT name, start_after, state = 'retry' AND ${IS_OURS} AND start_after > now() AS is_retry,
                    ${IS_OURS} AND ${TAKEABLE} AND name <> $2 AND start_after <= now() AS is_due,
                    extract(epoch FROM now() - start_after) * 1000 AS waited_ms
               FROM ${JOB_TABLE}
              WHERE state IN ('created', 'retry')) AS jobs`,
    [kinds, SCHEDULE_JOB.name],
  );
  const counts = rows[0] as Omit<QueueHealth, "isInstalled" | "workerSilentMs">;
  return { isInstalled: true, ...counts, workerSilentMs: await workerSilentMs(db, kinds) };
}
