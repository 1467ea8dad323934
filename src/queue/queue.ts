import { type ConstructorOptions, type Db, type Job, PgBoss } from "pg-boss";
import { describeFault } from "../base/describe-fault.ts";
import {
  DEAD_LETTER,
  deleteDeadLetter,
  isThere,
  type JobFilter,
  type JobInfo,
  listJobs,
  type QueueDepth,
  queueDepths,
  QUEUE_SCHEMA as SCHEMA,
} from "./inspect-jobs.ts";
import { type AgentPayload, agentKey, JOB_CONTRACTS, type JobContract, type JobSettings } from "./job-contracts.ts";
import { type JobObserver, observeJob, originOfJob, tracesOf } from "./observed-job.ts";
import { prepared, type QueueTransaction } from "./prepared.ts";

/** The database as pg-boss sees it; structurally the seam's Database. */
export interface QueueDatabase extends Db {
  readonly kind: "postgres" | "pglite";
}

export type Turn =
  | ("after others" | "in a minute" | "unless one waits" | "in a minute, unless one waits or runs")
  | { readonly afterMs: number; readonly unlessOneWaits?: true };

export type JobCounts = Record<string, { waiting: number; active: number; failed: number }>;
export type JobHandler<P> = (payload: P, signal: AbortSignal) => Promise<void>;

export interface JobQueue {
  /**
   * Enqueues a job through `tx`, so that it exists exactly when the transaction commits. The rest of long work goes `after
   * others`: whatever is new is taken before it. What readers ask for again and again goes `unless one waits`; never what a
   * write depends on, since the one that waits may begin before the write commits.
   */
  send<P extends object>(tx: QueueTransaction, contract: JobContract<P>, payload: P, turn?: Turn): Promise<void>;
  /** Starts taking jobs of one kind. `signal` is aborted when the process stops: hand the work back and return. */
  work<P extends object>(contract: JobContract<P>, handler: JobHandler<P>, concurrency: number): Promise<void>;
  /**
   * Whether a tenant waits for this kind of job of which none runs for it. Its oldest is taken next, whatever else waits: long
   * work that asks between its parts, and hands back the rest when told so, delays nobody by more than one part.
   */
  othersWait(contract: JobSettings): Promise<boolean>;
  /** Jobs waiting, running and failed, by kind: of one agent, or of the whole service. */
  counts(agent?: AgentPayload): Promise<JobCounts>;
  /** How many jobs wait in each queue, and how long; cheap however many there are. */
  depths(): Promise<QueueDepth[]>;
  /** Deletes the jobs of an agent, in whatever state. @returns how many there were */
  forget(tx: Db, agent: AgentPayload): Promise<number>;
  /** Jobs that the filter lets through, newest first. */
  list(filter: JobFilter): Promise<JobInfo[]>;
  /** Runs a failed or waiting job now. @returns false when it is neither any more */
  retry(job: JobInfo): Promise<boolean>;
  /** Cancels a job that has not ended, and forgets one that failed for good. */
  cancel(job: JobInfo): Promise<void>;
  stop(): Promise<void>;
}

/** A worker that is killed stops its heartbeat; after this its job goes to another. pg-boss takes no less than 10. */
const HEARTBEAT_SECONDS = 10;
const MAINTENANCE_SECONDS = 600;
/** The priority of a job whose tenant is next; others have 0, the rest of long work -1. */
const FIRST = 1;
/** New jobs are announced by NOTIFY; a retry or a delayed job that falls due is only found by polling. */
const POLLING_SECONDS = 2;

/**
 * Starts pg-boss on the given database: installs its schema, creates the queues, and waits for jobs by LISTEN, with
 * polling as the fallback.
 *
 * @param options.supervise whether this process looks after expired and abandoned jobs; true where there are workers.
 */
export async function startQueue(db: QueueDatabase, options: JobObserver & { supervise: boolean }): Promise<JobQueue> {
  const boss = new PgBoss(bossOptions(db, options.supervise));
  boss.on("error", (error: Error) => options.logger.error({ err: describeFault(error) }, "queue error"));
  await boss.start();
  await boss.createQueue(DEAD_LETTER, {});
  for (const contract of JOB_CONTRACTS) await createQueue(boss, contract);
  await indexWaiting(db);
  // An embedded database has exactly one process: whatever is marked active belongs to one that died.
  if (db.kind === "pglite") await releaseAbandoned(db);
  const stopping = new AbortController();
  const run = async <P extends object>(contract: JobContract<P>, handler: JobHandler<P>, job: Job) => {
    const payload = contract.payload.parse(job.data);
    const taken = await takeTurn(db, contract.name, contract.key(payload), job.id);
    try {
      const signal = AbortSignal.any([job.signal, stopping.signal]);
      await observeJob(options, job, taken, () => handler(payload, signal));
    } finally {
      // What comes next is a tenant's that has waited for its first, not this one's twentieth agent.
      await preferUnserved(db, contract.name).catch((error: Error) => boss.emit("error", error));
    }
  };
  return {
    send: async (tx, contract, payload, turn) => {
      const once = typeof turn === "object" ? turn.unlessOneWaits : turn?.includes("unless one waits");
      const states = ["created", "retry", ...(turn === "in a minute, unless one waits or runs" ? ["active"] : [])];
      if (once && (await isThere(tx, contract.name, contract.key(payload), states))) return;
      await boss.send(
        contract.name,
        { ...payload, ...originOfJob() },
        {
          db: prepared(tx),
          ...placeOf(contract, contract.key(payload)),
          ...(contract.startAfterSeconds > 0 ? { startAfter: contract.startAfterSeconds } : {}),
          ...(turn === "after others" ? { priority: -1 } : {}),
          ...(typeof turn === "string" && turn.startsWith("in a minute") ? { startAfter: 60 } : {}),
          // pg-boss takes 0 for no delay at all.
          ...(typeof turn === "object" ? { startAfter: Math.max(1, turn.afterMs) / 1000 } : {}),
        },
      );
    },
    work: async (contract, handler, concurrency) => {
      for (let hand = 0; hand < concurrency; hand++)
        await startHand(boss, contract, (job) => run(contract, handler, job));
    },
    othersWait: (contract) => preferUnserved(db, contract.name),
    counts: (agent) => countJobs(db, agent),
    depths: () => queueDepths(db, [...JOB_CONTRACTS.map(({ name }) => name), DEAD_LETTER]),
    forget: forgetJobs,
    list: (filter) => listJobs(db, filter),
    retry: (job) => retryJob(boss, db, job),
    cancel: async (job) => {
      if (job.state === "failed") await deleteDeadLetter(db, job.id);
      else await boss.cancel(job.kind, job.id);
    },
    stop: async () => {
      stopping.abort();
      await boss.stop({ graceful: true, timeout: 20_000 });
    },
  };
}

/**
 * Takes jobs of a queue, one at a time. pg-boss rests between two fetches, also when the first has found a job: twenty short
 * jobs that wait would take forty seconds. So whoever has done one looks for the next at once.
 */
async function startHand(boss: PgBoss, contract: JobSettings, run: (job: Job) => Promise<void>): Promise<void> {
  const options = { notifyPollingIntervalSeconds: POLLING_SECONDS, groupConcurrency: 1 };
  const hand = { id: "" };
  hand.id = await boss.work<object>(contract.name, options, async ([job]) => {
    try {
      if (job) await run(job);
    } finally {
      boss.notifyWorker(hand.id);
    }
  });
}

function bossOptions(db: QueueDatabase, supervise: boolean): ConstructorOptions {
  return {
    db,
    backend: db.kind,
    schema: SCHEMA,
    supervise,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: HEARTBEAT_SECONDS,
    monitorIntervalSeconds: HEARTBEAT_SECONDS,
    // Jobs that ended are deleted no more often than this; once a day unless told otherwise.
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
  };
}

/**
 * One active job a key is asked of pg-boss's groups, which look at the jobs themselves. Its policy `singleton` goes by a
 * cached list of active keys: after a worker was killed, or just finished, a key stayed blocked for up to a minute.
 */
function placeOf(contract: Pick<JobSettings, "concurrency">, key: string) {
  return { group: { id: key }, ...(contract.concurrency === "one-waiting" ? { singletonKey: key } : {}) };
}

/**
 * The jobs of one key that wait are asked for with every job that begins and every status; pg-boss indexes only those that
 * are active.
 */
async function indexWaiting(db: QueueDatabase): Promise<void> {
  await db.executeSql(
    `CREATE INDEX IF NOT EXISTS recollect_job_group ON ${SCHEMA}.job (group_id, name) WHERE group_id IS NOT NULL`,
  );
}

/**
 * Makes sure a job is alone with its key, and takes over those that wait behind it. Whoever enqueued them has committed
 * what they are about, so this job will see it; run one by one they would only find nothing left to do.
 *
 * Two workers that fetch in the same instant can both get a job of one group. The later one is certain to see the earlier
 * here and gives way: its job is retried in a moment.
 *
 * @returns the traces that the others came from, at most a few
 */
async function takeTurn(db: QueueDatabase, name: string, key: string, id: string): Promise<string[]> {
  const others = `${SCHEMA}.job WHERE name = $1 AND group_id = $2 AND id <> $3`;
  const active = await db.executeSql(`SELECT id FROM ${others} AND state = 'active' LIMIT 1`, [name, key, id]);
  if (active.rows.length > 0) throw new Error("Another job with this key is active.");
  // Those that failed and wait for their next try too: in an outage each write would leave one more behind.
  const { rows } = await db.executeSql(`DELETE FROM ${others} AND state IN ('created', 'retry') RETURNING data`, [
    name,
    key,
    id,
  ]);
  return tracesOf(rows);
}

/**
 * Puts first, for each tenant that waits and has no job of this queue active, the job it would be given next. Turns go round
 * the tenants so, however many agents each has: whoever has been served waits for those who have not. Only jobs that are
 * due count, and those that another worker is just taking are left alone.
 *
 * @returns whether there is such a tenant
 */
async function preferUnserved(db: QueueDatabase, name: string): Promise<boolean> {
  const jobs = `${SCHEMA}.job`;
  const { rows } = await db.executeSql(
    `WITH next AS (
       SELECT DISTINCT ON (w.data->>'tenantId') w.id, w.priority FROM ${jobs} w
        WHERE w.name = $1 AND w.state < 'active' AND NOT w.blocked AND w.start_after <= now() AND w.data ? 'tenantId'
          AND NOT EXISTS (SELECT FROM ${jobs} a
                           WHERE a.name = $1 AND a.state = 'active' AND a.data->>'tenantId' = w.data->>'tenantId')
        ORDER BY w.data->>'tenantId', w.priority DESC, w.created_on
     ), first AS (
       UPDATE ${jobs} SET priority = ${FIRST} WHERE name = $1 AND id IN (
         SELECT id FROM ${jobs} WHERE name = $1 AND id IN (SELECT id FROM next WHERE priority < ${FIRST}) AND state < 'active'
            FOR UPDATE SKIP LOCKED)
     ) SELECT EXISTS (SELECT FROM next) AS waits`,
    [name],
  );
  return rows[0]?.waits === true;
}

async function createQueue(boss: PgBoss, contract: JobSettings): Promise<void> {
  await boss.createQueue(contract.name, {
    policy: contract.concurrency === "one-waiting" ? "short" : "standard",
    retryLimit: contract.retryLimit,
    retryDelay: contract.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: contract.retryDelayMaxSeconds,
    expireInSeconds: contract.expireInSeconds,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: contract.keepSeconds ?? 3600,
    notify: true,
    deadLetter: DEAD_LETTER,
  });
  // pg-boss reads a queue's settings on first use, through its own connection. Inside a transaction of the embedded
  // database, whose only session is taken, that read would wait for ever.
  await boss.findJobs(contract.name, { id: "00000000-0000-0000-0000-000000000000" });
}

async function releaseAbandoned(db: QueueDatabase): Promise<void> {
  await db.executeSql(`UPDATE ${SCHEMA}.job SET state = 'retry', start_after = now() WHERE state = 'active'`);
}

/** A dead letter becomes a new job of its kind; one that waits for its next try is due at once. */
async function retryJob(boss: PgBoss, db: QueueDatabase, job: JobInfo): Promise<boolean> {
  const contract = JOB_CONTRACTS.find((one) => one.name === job.kind);
  if (!contract) return false;
  if (job.state === "failed") {
    if (!(await deleteDeadLetter(db, job.id))) return false;
    const { tenantId, agentId } = job.payload as Partial<AgentPayload>;
    const key = tenantId === undefined || agentId === undefined ? contract.name : agentKey({ tenantId, agentId });
    await boss.send(job.kind, job.payload, placeOf(contract, key));
    return true;
  }
  const { rows } = await db.executeSql(
    `UPDATE ${SCHEMA}.job SET start_after = now() WHERE name = $1 AND id = $2 AND state IN ('created', 'retry') RETURNING id`,
    [job.kind, job.id],
  );
  return rows.length > 0;
}

/** By what they carry, so that jobs in the dead-letter queue are found too. */
async function forgetJobs(tx: Db, { tenantId, agentId }: AgentPayload): Promise<number> {
  const { rows } = await tx.executeSql(
    `DELETE FROM ${SCHEMA}.job WHERE data->>'tenantId' = $1 AND data->>'agentId' = $2 RETURNING id`,
    [tenantId, agentId],
  );
  return rows.length;
}

/** Counted from the jobs themselves: pg-boss's own figures are a minute old. Finished jobs are deleted within the hour. */
async function countJobs(db: QueueDatabase, agent: AgentPayload | undefined): Promise<JobCounts> {
  const { rows } = await db.executeSql(
    `SELECT name, count(*) FILTER (WHERE state IN ('created', 'retry'))::int AS waiting,
            count(*) FILTER (WHERE state = 'active')::int AS active, count(*) FILTER (WHERE state = 'failed')::int AS failed
       FROM ${SCHEMA}.job WHERE $1::text IS NULL OR group_id = $1 GROUP BY name`,
    [agent ? agentKey(agent) : null],
  );
  const counted = new Map(
    rows.map((row) => [row.name, { waiting: row.waiting, active: row.active, failed: row.failed }]),
  );
  const none = { waiting: 0, active: 0, failed: 0 };
  return Object.fromEntries(JOB_CONTRACTS.map(({ name }) => [name, counted.get(name) ?? none]));
}
