// All SQL on pg-boss's own table, where its API cannot do something or is too slow. The table is
// private to pg-boss: test/queue/pg-boss-sql.test.ts checks everything that this SQL relies on, for
// the pinned version.
import type { Db } from "pg-boss";
import type { PagePosition } from "../base/page-cursor.ts";
import type { AgentPayload } from "./job-contracts.ts";
import type { QueueDatabase } from "./queue-database.ts";

const UNIQUE_VIOLATION = "23505";
/** pg-boss's schema. */
export const QUEUE_SCHEMA = "recollect_jobs";
export const JOB_TABLE = `${QUEUE_SCHEMA}.job`;
/** The priority of a job whose tenant is next. Other jobs have 0, the rest of long work has -1. */
export const FIRST = 1;
/** The queue of jobs that have used up their retries. */
export const DEAD_LETTER = "dead-letter";

export type JobState = "waiting" | "active" | "retry" | "completed" | "cancelled" | "failed";

/** A job as lists show it. */
export interface JobInfo extends PagePosition {
  kind: string;
  state: JobState;
  payload: Record<string, unknown>;
  retryCount: number;
  createdAt: Date;
  /** The time from which on the job may be taken: for a retry, the time of its next try. */
  dueAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** The error of a failed attempt, as pg-boss stores it; not for clients. */
  output: { name?: unknown; code?: unknown; message?: unknown } | null;
}

export interface JobFilter {
  /** The tenant of the jobs; undefined: any tenant. */
  tenantId: string | undefined;
  /** Whether jobs of the service as a whole are included too. */
  ofService?: boolean | undefined;
  agentId?: string | undefined;
  state?: JobState | undefined;
  id?: string | undefined;
  /** The position in the list after which the jobs begin. */
  after?: PagePosition | undefined;
  limit: number;
}

/**
 * Selects all jobs once. A job that failed for good has two rows: one in its queue, for as long as
 * the queue keeps ended jobs (`keepSeconds`), and a dead letter. The dead letter is shown, under
 * the kind of the original job.
 */
const JOBS = `SELECT id, CASE WHEN name = '${DEAD_LETTER}' THEN coalesce(source_name, name) ELSE name END AS kind,
    CASE WHEN name = '${DEAD_LETTER}' THEN 'failed' WHEN state = 'created' THEN 'waiting' ELSE state::text END AS state,
    data AS payload, coalesce(source_retry_count, retry_count) AS "retryCount", created_on AS "createdAt",
    (extract(epoch FROM created_on) * 1000000)::bigint::text AS micros,
    start_after AS "dueAt", started_on AS "startedAt", completed_on AS "endedAt", coalesce(source_output, output) AS output
  FROM ${JOB_TABLE}
  WHERE NOT (state = 'failed' AND dead_letter IS NOT NULL)`;

/**
 * Creates pg-boss's schema if it does not exist; many processes may do this at once. pg-boss does it
 * under a lock, but on a connection that has looked for the schema before: Postgres then remembers
 * that there is none while the connection waits for the lock, and the creation fails.
 */
export async function createQueueSchema(db: Db): Promise<void> {
  const { rows } = await db.executeSql(`SELECT to_regnamespace('${QUEUE_SCHEMA}') IS NOT NULL AS found`);
  if (!rows[0]?.found) await createOnce(db, `CREATE SCHEMA IF NOT EXISTS ${QUEUE_SCHEMA}`);
}

/**
 * Runs a `CREATE … IF NOT EXISTS`, which fails when another process creates the same at the same
 * time. It fails only after the other process has committed, so the schema or index exists by then.
 */
async function createOnce(db: Db, statement: string): Promise<void> {
  try {
    await db.executeSql(statement);
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
  }
}

/** Reads the jobs that match the filter, newest first. */
export async function listJobs(db: Db, filter: JobFilter): Promise<JobInfo[]> {
  const { rows } = await db.executeSql(
    `SELECT *
       FROM (${JOBS}) AS jobs
      WHERE ($1::text IS NULL OR payload->>'tenantId' = $1 OR ($6 AND payload->>'tenantId' IS NULL))
        AND ($2::text IS NULL OR payload->>'agentId' = $2)
        AND ($3::text IS NULL OR state = $3)
        AND ($4::uuid IS NULL OR id = $4)
        AND ($7::float8 IS NULL OR ("createdAt", id) < (timestamptz 'epoch' + $7::float8 * interval '1 microsecond', $8::uuid))
      ORDER BY "createdAt" DESC, id DESC
      LIMIT $5`,
    [
      filter.tenantId ?? null,
      filter.agentId ?? null,
      filter.state ?? null,
      filter.id ?? null,
      filter.limit,
      filter.ofService ?? false,
      filter.after?.micros ?? null,
      filter.after?.id ?? null,
    ],
  );
  return rows as JobInfo[];
}

export async function deleteDeadLetter(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.executeSql(
    `DELETE FROM ${JOB_TABLE}
      WHERE name = '${DEAD_LETTER}'
        AND id = $1
     RETURNING id`,
    [id],
  );
  return rows.length > 0;
}

/** The present depth of one queue, for the whole service. */
export interface QueueDepth {
  queue: string;
  /** The number of waiting jobs, at most 10,000. */
  waiting: number;
  active: number;
  /** How long the oldest due job has been due; 0 when none is due. */
  oldestDueSeconds: number;
}

/** The number of jobs up to which a queue is counted. Beyond it, a queue is simply long. */
const MAX_COUNTED = 10_000;

/**
 * Counts the waiting jobs of each queue. The count follows the index that jobs are fetched by, and
 * stops at ten thousand per queue, so that it stays cheap when queues are long. pg-boss's own
 * figures are a minute old.
 */
export async function queueDepths(db: Db, queues: readonly string[]): Promise<QueueDepth[]> {
  const { rows } = await db.executeSql(
    `SELECT q.name AS queue, w.waiting, w.oldest AS "oldestDueSeconds", (
              SELECT count(*)::int
                FROM ${JOB_TABLE}
               WHERE name = q.name
                 AND state = 'active'
                 AND group_id IS NOT NULL
            ) AS active
       FROM unnest($1::text[]) AS q (name), LATERAL (
         SELECT count(*)::int AS waiting,
                coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now())), 0)::float8 AS oldest
           FROM (
             SELECT start_after
               FROM ${JOB_TABLE}
              WHERE name = q.name
                AND state < 'active'
                AND NOT blocked
              ORDER BY priority DESC, created_on
              LIMIT ${MAX_COUNTED}
           ) AS first
       ) AS w`,
    [queues],
  );
  return rows as QueueDepth[];
}

/** Returns the names of the given kinds of which a job is due. */
export async function dueKinds(db: Db, kinds: readonly string[]): Promise<string[]> {
  const { rows } = await db.executeSql(
    `SELECT k.name
       FROM unnest($1::text[]) AS k (name)
      WHERE EXISTS (
        SELECT
          FROM ${JOB_TABLE}
         WHERE name = k.name
           AND state < 'active'
           AND NOT blocked
           AND start_after <= now())`,
    [kinds],
  );
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** Returns whether a key has a job in one of these states. */
export async function hasJob(tx: Db, name: string, key: string, states: readonly string[]): Promise<boolean> {
  const { rows } = await tx.executeSql(
    `SELECT 1
       FROM ${JOB_TABLE}
      WHERE name = $1
        AND group_id = $2
        AND state::text = ANY($3::text[])
      LIMIT 1`,
    [name, key, states],
  );
  return rows.length > 0;
}

/**
 * Creates an index for the waiting jobs of one key, which every job that begins and every status
 * request reads. pg-boss indexes only the active jobs.
 */
export async function indexWaiting(db: Db): Promise<void> {
  await createOnce(
    db,
    `CREATE INDEX IF NOT EXISTS recollect_job_group ON ${JOB_TABLE} (group_id, name) WHERE group_id IS NOT NULL`,
  );
}

/**
 * Makes sure that no other job with this key is active, and takes over the jobs with this key that
 * wait. The transactions that enqueued them have committed, so this job sees their data; run one by
 * one, they would find nothing left to do.
 *
 * A field that is `true` in one of their payloads becomes `true` in this job's payload, also for
 * its next try. A field that this job's payload lacks comes from the newest of them that has it.
 *
 * Two workers that fetch in the same instant can both get a job of one group. The later one is
 * certain to see the earlier one here and gives way: its job is retried in a moment.
 *
 * @returns the jobs that it takes over, and its payload if the payload has changed
 */
export async function takeTurn(
  db: Db,
  name: string,
  key: string,
  id: string,
): Promise<{ others: { data?: unknown }[]; merged: object | undefined; waitedMs: number }> {
  const others = `${JOB_TABLE} WHERE name = $1 AND group_id = $2 AND id <> $3`;
  const oldest = `SELECT min(created_on)
       FROM ${JOB_TABLE}
      WHERE name = $1
        AND group_id = $2
        AND (id = $3 OR state IN ('created', 'retry'))`;
  const { rows: state } = await db.executeSql(
    `SELECT EXISTS (SELECT FROM ${others} AND state = 'active') AS active,
            coalesce(extract(epoch FROM clock_timestamp() - (${oldest})), 0)::float8 * 1000 AS "waitedMs"`,
    [name, key, id],
  );
  const [turn] = state as { active: boolean; waitedMs: number }[];
  if (turn?.active) throw new Error("Another job with this key is active.");
  // This includes jobs that failed and wait for their next try: in an outage each write would leave
  // one more of them.
  const { rows } = await db.executeSql(
    `WITH taken AS (
       DELETE FROM ${others}
          AND state IN ('created', 'retry')
       RETURNING data, created_on
     ), merged AS (
       UPDATE ${JOB_TABLE} j
          SET data = t.fields || j.data || t.flags
         FROM (
           SELECT coalesce(jsonb_object_agg(f.key, f.value ORDER BY taken.created_on), '{}') AS fields,
                  coalesce(jsonb_object_agg(f.key, f.value) FILTER (WHERE f.value = 'true'), '{}') AS flags
             FROM taken, jsonb_each(taken.data) AS f
            WHERE f.key <> 'origin'
         ) t
        WHERE j.name = $1
          AND j.id = $3
          AND NOT j.data @> (t.fields || j.data || t.flags)
       RETURNING j.data
     )
     SELECT taken.data, (SELECT data FROM merged) AS merged
       FROM taken`,
    [name, key, id],
  );
  const [first] = rows as { merged: object | null }[];
  return { others: rows, merged: first?.merged ?? undefined, waitedMs: turn?.waitedMs ?? 0 };
}

/**
 * Gives the first priority to the next job of each tenant that waits and has no active job in this
 * queue. So tenants take turns, however many agents each has: a tenant that has been served waits
 * for tenants that have not. Only due jobs count, and jobs that another worker is just taking are
 * left alone.
 *
 * @param endedId an active job that counts as ended
 * @returns whether there is such a tenant
 */
export async function preferUnserved(db: Db, name: string, endedId?: string): Promise<boolean> {
  const { rows } = await db.executeSql(
    `WITH next AS (
       SELECT DISTINCT ON (w.data->>'tenantId') w.id, w.priority
         FROM ${JOB_TABLE} w
        WHERE w.name = $1
          AND w.state < 'active'
          AND NOT w.blocked
          AND w.start_after <= now()
          AND w.data ? 'tenantId'
          AND NOT EXISTS (
            SELECT
              FROM ${JOB_TABLE} a
             WHERE a.name = $1
               AND a.state = 'active'
               AND a.data->>'tenantId' = w.data->>'tenantId'
               AND a.id IS DISTINCT FROM $2::uuid)
        ORDER BY w.data->>'tenantId', w.priority DESC, w.created_on
     ), first AS (
       UPDATE ${JOB_TABLE}
          SET priority = ${FIRST}
        WHERE name = $1
          AND id IN (
            SELECT id
              FROM ${JOB_TABLE}
             WHERE name = $1
               AND id IN (SELECT id FROM next WHERE priority < ${FIRST})
               AND state < 'active'
               FOR UPDATE SKIP LOCKED)
     )
     SELECT EXISTS (SELECT FROM next) AS waits`,
    [name, endedId ?? null],
  );
  return rows[0]?.waits === true;
}

/**
 * Releases the active jobs of a process that is known to be gone, so that workers can take them
 * again.
 */
export async function releaseAbandoned(db: Db): Promise<void> {
  await db.executeSql(`UPDATE ${JOB_TABLE} SET state = 'retry', start_after = now() WHERE state = 'active'`);
}

/**
 * Makes a waiting job due at once.
 *
 * @returns false when the job no longer waits
 */
export async function makeDue(db: Db, { kind, id }: Pick<JobInfo, "kind" | "id">): Promise<boolean> {
  const { rows } = await db.executeSql(
    `UPDATE ${JOB_TABLE}
        SET start_after = now()
      WHERE name = $1
        AND id = $2
        AND state IN ('created', 'retry')
     RETURNING id`,
    [kind, id],
  );
  return rows.length > 0;
}

/**
 * Deletes an agent's jobs. They are found by their payload, so jobs in the dead-letter queue are
 * deleted too.
 */
export async function forgetJobs(tx: Db, { tenantId, agentId }: AgentPayload): Promise<number> {
  const { rows } = await tx.executeSql(
    `DELETE FROM ${JOB_TABLE}
      WHERE data->>'tenantId' = $1
        AND data->>'agentId' = $2
     RETURNING id`,
    [tenantId, agentId],
  );
  return rows.length;
}

export type JobCounts = Record<string, { waiting: number; active: number; failed: number }>;

/**
 * Counts jobs by kind, of one key or of all keys. Kinds without a job are left out. The jobs
 * themselves are counted, because pg-boss's own figures are a minute old. Ended jobs are deleted
 * from their queue after about an hour at most.
 */
export async function countJobs(db: Db, key: string | undefined): Promise<JobCounts> {
  const { rows } = await db.executeSql(
    `SELECT name, count(*) FILTER (WHERE state IN ('created', 'retry'))::int AS waiting,
            count(*) FILTER (WHERE state = 'active')::int AS active, count(*) FILTER (WHERE state = 'failed')::int AS failed
       FROM ${JOB_TABLE}
      WHERE $1::text IS NULL OR group_id = $1
      GROUP BY name`,
    [key ?? null],
  );
  return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts]));
}

/**
 * The time limit of a notification. Another program's transaction with a NOTIFY may hold the
 * server's lock, and the announcements of later jobs must not wait for it without end.
 */
const NOTIFY_MS = 10_000;

/**
 * Notifies the workers of these kinds of jobs. A lost notification costs a worker two seconds, so
 * this commit does not wait for the disk.
 */
export async function notifyWorkers(db: QueueDatabase, channel: string, kinds: readonly string[]): Promise<void> {
  await db.executeSql(
    `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, kind)
       FROM unnest($2::text[]) AS n (kind)`,
    [channel, kinds],
    { limitMs: NOTIFY_MS },
  );
}
