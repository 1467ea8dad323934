import type { Db } from "pg-boss";
import type { PagePosition } from "../base/page-cursor.ts";

/** pg-boss's schema. */
export const QUEUE_SCHEMA = "recollect_jobs";
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
  FROM ${QUEUE_SCHEMA}.job WHERE NOT (state = 'failed' AND dead_letter IS NOT NULL)`;

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
    `DELETE FROM ${QUEUE_SCHEMA}.job WHERE name = '${DEAD_LETTER}' AND id = $1 RETURNING id`,
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
         SELECT count(*)::int FROM ${QUEUE_SCHEMA}.job WHERE name = q.name AND state = 'active' AND group_id IS NOT NULL
       ) AS active
       FROM unnest($1::text[]) AS q (name), LATERAL (
         SELECT count(*)::int AS waiting,
                coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now())), 0)::float8 AS oldest
           FROM (SELECT start_after FROM ${QUEUE_SCHEMA}.job WHERE name = q.name AND state < 'active' AND NOT blocked
                  ORDER BY priority DESC, created_on LIMIT ${MAX_COUNTED}) AS first
       ) AS w`,
    [queues],
  );
  return rows as QueueDepth[];
}

/** Whether a key has a job in one of these states. */
export async function isThere(tx: Db, name: string, key: string, states: readonly string[]): Promise<boolean> {
  const { rows } = await tx.executeSql(
    `SELECT 1 FROM ${QUEUE_SCHEMA}.job WHERE name = $1 AND group_id = $2 AND state::text = ANY($3::text[]) LIMIT 1`,
    [name, key, states],
  );
  return rows.length > 0;
}
