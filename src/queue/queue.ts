import { type ConstructorOptions, type Db, type Job, PgBoss } from "pg-boss";
import { describeFault } from "../base/describe-fault.ts";
import { type Hands, startHands } from "./hands.ts";
import { type AgentPayload, agentKey, JOB_CONTRACTS, type JobContract, type JobSettings } from "./job-contracts.ts";
import { type JobObserver, observeJob, originOfJob, tracesOf } from "./observed-job.ts";
import { isWorked, workerSilentMs } from "./pg-boss-health.ts";
import {
  countJobs,
  DEAD_LETTER,
  deleteDeadLetter,
  forgetJobs,
  hasJob,
  indexWaiting,
  type JobCounts,
  type JobFilter,
  type JobInfo,
  listJobs,
  makeDue,
  preferUnserved,
  QUEUE_SCHEMA,
  type QueueDepth,
  queueDepths,
  releaseAbandoned,
  takeTurn,
} from "./pg-boss-sql.ts";

/** The database as pg-boss sees it; structurally the seam's Database. */
export interface QueueDatabase extends Db {
  readonly kind: "postgres" | "pglite";
  /** pg-boss does without, but then its workers only poll. */
  readonly listen: NonNullable<Db["listen"]>;
}

/** A transaction as the seam has it. */
export interface QueueTransaction {
  executeSql(text: string, values?: unknown[], options?: { prepare: true }): ReturnType<Db["executeSql"]>;
}

export type Turn =
  | ("after others" | "in a minute" | "unless one waits" | "in a minute, unless one waits or runs")
  | { readonly afterMs: number; readonly unlessOneWaits?: true };

/** @param waitedMs since the oldest job was sent that this one does the work of */
export type JobHandler<P> = (payload: P, signal: AbortSignal, waitedMs: number) => Promise<void>;

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
  /** Whether a worker runs; also true while nothing has been due for long enough to tell. */
  isWorked(): Promise<boolean>;
  /** For how long no worker has given a sign although jobs were due; infinite when none was ever there. */
  silentMs(): Promise<number>;
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
/** New jobs are announced by NOTIFY; a retry or a delayed job that falls due is only found by polling. */
const POLLING_SECONDS = 2;

/**
 * Starts pg-boss on the given database: installs its schema, creates the queues, and waits for jobs by LISTEN, with
 * polling as the fallback.
 *
 * @param options.supervise whether this process looks after expired and abandoned jobs; true where there are workers.
 */
export async function startQueue(db: QueueDatabase, options: JobObserver & { supervise: boolean }): Promise<JobQueue> {
  const hands = new Map<string, Hands>();
  const boss = new PgBoss(bossOptions(announcing(db, hands), options.supervise));
  boss.on("error", (error: Error) => options.logger.error({ err: describeFault(error) }, "queue error"));
  // Of its other warnings, such as how many jobs wait, metrics tell.
  boss.on("warning", ({ message, data }) => {
    const { type, error } = data as { type?: string; error?: string };
    if (type === "listen_notify_unavailable") options.logger.warn({ reason: error }, message);
  });
  await boss.start();
  await boss.createQueue(DEAD_LETTER, {});
  for (const contract of JOB_CONTRACTS) await createQueue(boss, contract);
  await indexWaiting(db);
  // An embedded database has exactly one process: whatever is marked active belongs to one that died.
  if (db.kind === "pglite") await releaseAbandoned(db);
  const stopping = new AbortController();
  // Jobs that were not announced: those that fall due, and all where there is no LISTEN.
  const lookout = setInterval(() => {
    for (const one of hands.values()) one.look();
  }, POLLING_SECONDS * 1000).unref();
  const prefer = (name: string, endedId?: string) =>
    preferUnserved(db, name, endedId).catch((error: Error) => {
      boss.emit("error", error);
      return false;
    });
  const run = async <P extends object>(contract: JobContract<P>, handler: JobHandler<P>, job: Job) => {
    const payload = contract.payload.parse(job.data);
    const { others, merged, waitedMs } = await takeTurn(db, contract.name, contract.key(payload), job.id);
    try {
      const signal = AbortSignal.any([job.signal, stopping.signal]);
      await observeJob(options, job, tracesOf(others), () =>
        handler(merged ? contract.payload.parse(merged) : payload, signal, waitedMs),
      );
    } finally {
      // What comes next is a tenant's that has waited for its first, not this one's twentieth agent.
      await prefer(contract.name);
    }
  };
  return {
    send: (tx, contract, payload, turn) => sendJob(boss, tx, contract, payload, turn),
    work: async (contract, handler, concurrency) => {
      const started = await startHands(boss, contract, {
        concurrency,
        pollingSeconds: POLLING_SECONDS,
        run: (job) => run(contract, handler, job),
        prefer: (endedId) => prefer(contract.name, endedId),
      });
      hands.set(contract.name, started);
    },
    othersWait: (contract) => preferUnserved(db, contract.name),
    counts: (agent) => countAll(db, agent),
    isWorked: () => isWorked(db),
    silentMs: () => workerSilentMs(db),
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
      clearInterval(lookout);
      await boss.stop({ graceful: true, timeout: 20_000 });
    },
  };
}

/** See `JobQueue.send`. */
async function sendJob<P extends object>(
  boss: PgBoss,
  tx: QueueTransaction,
  contract: JobContract<P>,
  payload: P,
  turn: Turn | undefined,
): Promise<void> {
  const once = typeof turn === "object" ? turn.unlessOneWaits : turn?.includes("unless one waits");
  const states = ["created", "retry", ...(turn === "in a minute, unless one waits or runs" ? ["active"] : [])];
  if (once && (await hasJob(tx, contract.name, contract.key(payload), states))) return;
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
}

/** The database, which tells the workers of a kind of its announced jobs too. */
function announcing(db: QueueDatabase, hands: ReadonlyMap<string, Hands>): QueueDatabase {
  return {
    ...db,
    listen: (channel, onNotification, onReconnect) => {
      const onJob = (name: string) => {
        onNotification(name);
        hands.get(name)?.look();
      };
      return db.listen(channel, onJob, onReconnect);
    },
  };
}

function bossOptions(db: QueueDatabase, supervise: boolean): ConstructorOptions {
  return {
    db,
    backend: db.kind,
    schema: QUEUE_SCHEMA,
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
  return makeDue(db, job);
}

async function countAll(db: QueueDatabase, agent: AgentPayload | undefined): Promise<JobCounts> {
  const counted = await countJobs(db, agent && agentKey(agent));
  const none = { waiting: 0, active: 0, failed: 0 };
  return Object.fromEntries(JOB_CONTRACTS.map(({ name }) => [name, counted[name] ?? none]));
}

/** For pg-boss's INSERT of a job: its hundred lines take Postgres 0.9 ms, 0.5 of which are planning. */
function prepared(tx: QueueTransaction): Db {
  return { executeSql: (text, values) => tx.executeSql(text, values, { prepare: true }) };
}
