// All SQL on pg-boss's own table, for what its API cannot do or is too slow for. The table is private to pg-boss:
// test/queue/pg-boss-sql.test.ts holds what we rely on, for the version that is pinned.
import type { Db } from "pg-boss";
import type { PagePosition } from "../base/page-cursor.ts";
import type { AgentPayload } from "./job-contracts.ts";

/** pg-boss's schema. */
export const QUEUE_SCHEMA = "recollect_jobs";
export const JOB_TABLE = `${QUEUE_SCHEMA}.job`;
/** The priority of a job whose tenant is next; others have 0, the rest of long work -1. */
export const FIRST = 1;
/** Where a job goes whose retries are used up. */
export const DEAD_LETTER = "dead-letter";

export type JobState = "waiting" | "active" | "retry" | "completed" | "cancelled" | "failed";

/** A job as people see it. */
export interface JobInfo extends PagePosition {
  kind: string;
  state: JobState;
  payload: Record<string, unknown>;
  retryCount: number;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** What a failed attempt threw, as pg-boss keeps it; not for clients. */
  output: { name?: unknown; code?: unknown; message?: unknown } | null;
}

export interface JobFilter {
  /** undefined: of any tenant. */
  tenantId: string | undefined;
  /** Jobs of the service as a whole too. */
  ofService?: boolean | undefined;
  agentId?: string | undefined;
  state?: JobState | undefined;
  id?: string | undefined;
  /** Only those that stand behind it. */
  after?: PagePosition | undefined;
  limit: number;
}

/**
 * A job that failed for good stands twice: in its queue, for an hour, and as a dead letter. The letter is shown, under the
 * kind it came from.
 */
const JOBS = `SELECT id, CASE WHEN name = '${DEAD_LETTER}' THEN coalesce(source_name, name) ELSE name END AS kind,
    CASE WHEN name = '${DEAD_LETTER}' THEN 'failed' WHEN state = 'created' THEN 'waiting' ELSE state::text END AS state,
    data AS payload, coalesce(source_retry_count, retry_count) AS "retryCount", created_on AS "createdAt",
    (extract(epoch FROM created_on) * 1000000)::bigint::text AS micros,
    started_on AS "startedAt", completed_on AS "endedAt", coalesce(source_output, output) AS output
  FROM ${JOB_TABLE} WHERE NOT (state = 'failed' AND dead_letter IS NOT NULL)`;

/** Jobs that the filter lets through, newest first. */
export async function listJobs(db: Db, filter: JobFilter): Promise<JobInfo[]> {
  const { rows } = await db.executeSql(
    `SELECT * FROM (${JOBS}) AS jobs
      WHERE ($1::text IS NULL OR payload->>'tenantId' = $1 OR ($6 AND payload->>'tenantId' IS NULL)) AND ($2::text IS NULL OR payload->>'agentId' = $2)
        AND ($3::text IS NULL OR state = $3) AND ($4::uuid IS NULL OR id = $4)
        AND ($7::float8 IS NULL OR ("createdAt", id) < (timestamptz 'epoch' + $7::float8 * interval '1 microsecond', $8::uuid))
      ORDER BY "createdAt" DESC, id DESC LIMIT $5`,
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
    `DELETE FROM ${JOB_TABLE} WHERE name = '${DEAD_LETTER}' AND id = $1 RETURNING id`,
    [id],
  );
  return rows.length > 0;
}

/** One queue at this moment, of the whole service. */
export interface QueueDepth {
  queue: string;
  /** At most 10,000. */
  waiting: number;
  active: number;
  /** How long the job that is due and has waited longest has been due; 0 when none is. */
  oldestDueSeconds: number;
}

/** Beyond it a queue is long, however much longer. */
const MAX_COUNTED = 10_000;

/**
 * How many jobs wait in each queue. Counted along the index that jobs are fetched by, as far as ten thousand a queue, so that
 * asking stays cheap when it matters most; pg-boss's own figures are a minute old.
 */
export async function queueDepths(db: Db, queues: readonly string[]): Promise<QueueDepth[]> {
  const { rows } = await db.executeSql(
    `SELECT q.name AS queue, w.waiting, w.oldest AS "oldestDueSeconds", (
         SELECT count(*)::int FROM ${JOB_TABLE} WHERE name = q.name AND state = 'active' AND group_id IS NOT NULL
       ) AS active
       FROM unnest($1::text[]) AS q (name), LATERAL (
         SELECT count(*)::int AS waiting,
                coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now())), 0)::float8 AS oldest
           FROM (SELECT start_after FROM ${JOB_TABLE} WHERE name = q.name AND state < 'active' AND NOT blocked
                  ORDER BY priority DESC, created_on LIMIT ${MAX_COUNTED}) AS first
       ) AS w`,
    [queues],
  );
  return rows as QueueDepth[];
}

/** Whether a key has a job in one of these states. */
export async function hasJob(tx: Db, name: string, key: string, states: readonly string[]): Promise<boolean> {
  const { rows } = await tx.executeSql(
    `SELECT 1 FROM ${JOB_TABLE} WHERE name = $1 AND group_id = $2 AND state::text = ANY($3::text[]) LIMIT 1`,
    [name, key, states],
  );
  return rows.length > 0;
}

/**
 * The jobs of one key that wait are asked for with every job that begins and every status; pg-boss indexes only those that
 * are active.
 */
export async function indexWaiting(db: Db): Promise<void> {
  await db.executeSql(
    `CREATE INDEX IF NOT EXISTS recollect_job_group ON ${JOB_TABLE} (group_id, name) WHERE group_id IS NOT NULL`,
  );
}

/**
 * Makes sure a job is alone with its key, and takes over those that wait behind it. Whoever enqueued them has committed
 * what they are about, so this job will see it; run one by one they would only find nothing left to do. What is `true` in
 * a payload of theirs is true in its own from then on, at its next try too. A field that its own payload lacks comes from the
 * newest of them that has the field.
 *
 * Two workers that fetch in the same instant can both get a job of one group. The later one is certain to see the earlier
 * here and gives way: its job is retried in a moment.
 *
 * @returns the jobs that it takes over, and its payload when it has more than before
 */
export async function takeTurn(
  db: Db,
  name: string,
  key: string,
  id: string,
): Promise<{ others: { data?: unknown }[]; merged: object | undefined; waitedMs: number }> {
  const others = `${JOB_TABLE} WHERE name = $1 AND group_id = $2 AND id <> $3`;
  const oldest = `SELECT min(created_on) FROM ${JOB_TABLE} WHERE name = $1 AND group_id = $2 AND (id = $3 OR state IN ('created', 'retry'))`;
  const { rows: state } = await db.executeSql(
    `SELECT EXISTS (SELECT FROM ${others} AND state = 'active') AS active,
            coalesce(extract(epoch FROM clock_timestamp() - (${oldest})), 0)::float8 * 1000 AS "waitedMs"`,
    [name, key, id],
  );
  const [turn] = state as { active: boolean; waitedMs: number }[];
  if (turn?.active) throw new Error("Another job with this key is active.");
  // Those that failed and wait for their next try too: in an outage each write would leave one more behind.
  const { rows } = await db.executeSql(
    `WITH taken AS (
       DELETE FROM ${others} AND state IN ('created', 'retry') RETURNING data, created_on
     ), merged AS (
       UPDATE ${JOB_TABLE} j SET data = t.fields || j.data || t.flags
         FROM (SELECT coalesce(jsonb_object_agg(f.key, f.value ORDER BY taken.created_on), '{}') AS fields,
                      coalesce(jsonb_object_agg(f.key, f.value) FILTER (WHERE f.value = 'true'), '{}') AS flags
                 FROM taken, jsonb_each(taken.data) AS f WHERE f.key <> 'origin') t
        WHERE j.name = $1 AND j.id = $3 AND NOT j.data @> (t.fields || j.data || t.flags)
       RETURNING j.data
     ) SELECT taken.data, (SELECT data FROM merged) AS merged FROM taken`,
    [name, key, id],
  );
  const [first] = rows as { merged: object | null }[];
  return { others: rows, merged: first?.merged ?? undefined, waitedMs: turn?.waitedMs ?? 0 };
}

/**
 * Puts first, for each tenant that waits and has no job of this queue active, the job it would be given next. Turns go round
 * the tenants so, however many agents each has: whoever has been served waits for those who have not. Only jobs that are
 * due count, and those that another worker is just taking are left alone.
 *
 * @param endedId an active job that counts as ended
 * @returns whether there is such a tenant
 */
export async function preferUnserved(db: Db, name: string, endedId?: string): Promise<boolean> {
  const { rows } = await db.executeSql(
    `WITH next AS (
       SELECT DISTINCT ON (w.data->>'tenantId') w.id, w.priority FROM ${JOB_TABLE} w
        WHERE w.name = $1 AND w.state < 'active' AND NOT w.blocked AND w.start_after <= now() AND w.data ? 'tenantId'
          AND NOT EXISTS (SELECT FROM ${JOB_TABLE} a
                           WHERE a.name = $1 AND a.state = 'active' AND a.data->>'tenantId' = w.data->>'tenantId'
                             AND a.id IS DISTINCT FROM $2::uuid)
        ORDER BY w.data->>'tenantId', w.priority DESC, w.created_on
     ), first AS (
       UPDATE ${JOB_TABLE} SET priority = ${FIRST} WHERE name = $1 AND id IN (
         SELECT id FROM ${JOB_TABLE} WHERE name = $1 AND id IN (SELECT id FROM next WHERE priority < ${FIRST}) AND state < 'active'
            FOR UPDATE SKIP LOCKED)
     ) SELECT EXISTS (SELECT FROM next) AS waits`,
    [name, endedId ?? null],
  );
  return rows[0]?.waits === true;
}

/** Lets others take the jobs that are marked active, of a process that is known to be gone. */
export async function releaseAbandoned(db: Db): Promise<void> {
  await db.executeSql(`UPDATE ${JOB_TABLE} SET state = 'retry', start_after = now() WHERE state = 'active'`);
}

/** Makes a waiting job due at once. @returns false when it does not wait any more */
export async function makeDue(db: Db, { kind, id }: Pick<JobInfo, "kind" | "id">): Promise<boolean> {
  const { rows } = await db.executeSql(
    `UPDATE ${JOB_TABLE} SET start_after = now() WHERE name = $1 AND id = $2 AND state IN ('created', 'retry') RETURNING id`,
    [kind, id],
  );
  return rows.length > 0;
}

/** By what they carry, so that jobs in the dead-letter queue are found too. */
export async function forgetJobs(tx: Db, { tenantId, agentId }: AgentPayload): Promise<number> {
  const { rows } = await tx.executeSql(
    `DELETE FROM ${JOB_TABLE} WHERE data->>'tenantId' = $1 AND data->>'agentId' = $2 RETURNING id`,
    [tenantId, agentId],
  );
  return rows.length;
}

export type JobCounts = Record<string, { waiting: number; active: number; failed: number }>;

/**
 * Jobs by kind, of one key or of all; kinds without a job are left out. Counted from the jobs themselves: pg-boss's own
 * figures are a minute old. Finished jobs are deleted within the hour.
 */
export async function countJobs(db: Db, key: string | undefined): Promise<JobCounts> {
  const { rows } = await db.executeSql(
    `SELECT name, count(*) FILTER (WHERE state IN ('created', 'retry'))::int AS waiting,
            count(*) FILTER (WHERE state = 'active')::int AS active, count(*) FILTER (WHERE state = 'failed')::int AS failed
       FROM ${JOB_TABLE} WHERE $1::text IS NULL OR group_id = $1 GROUP BY name`,
    [key ?? null],
  );
  return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts]));
}
