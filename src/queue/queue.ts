import { setTimeout as sleep } from "node:timers/promises";
import { type ConstructorOptions, type Db, type Job, PgBoss } from "pg-boss";
import { describeFault } from "../base/describe-fault.ts";
import { type Announcer, createAnnouncer } from "./announce-jobs.ts";
import { type Hands, startHands } from "./hands.ts";
import { type AgentPayload, agentKey, type JobContract, type JobSettings } from "./job-contracts.ts";
import { type JobObserver, observeJob, originOfJob, tracesOf } from "./observed-job.ts";
import { isWorked, workerSilentMs } from "./pg-boss-health.ts";
import {
  countJobs,
  createQueueSchema,
  DEAD_LETTER,
  deleteDeadLetter,
  dueKinds,
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
import type { QueueDatabase } from "./queue-database.ts";

/** A transaction of Recollect's `Database`. */
export interface QueueTransaction {
  executeSql(text: string, values?: unknown[], options?: { prepare: true }): ReturnType<Db["executeSql"]>;
}

export type Turn =
  | ("after others" | "in a minute" | "unless one waits" | "in a minute, unless one waits or runs")
  | { readonly afterMs: number; readonly unlessOneWaits?: true };

/** @param waitedMs the time since the oldest of the jobs whose work this job does was sent */
export type JobHandler<P> = (payload: P, signal: AbortSignal, waitedMs: number) => Promise<void>;

export interface JobQueue {
  /**
   * Enqueues a job through `tx`, so that it exists exactly when the transaction commits.
   *
   * The remaining part of long work is sent `after others`: any new job is taken before it. A job
   * that readers request again and again is sent `unless one waits`. A job that a write depends on
   * never is, since the waiting one may begin before the write commits.
   */
  send<P extends object>(tx: QueueTransaction, contract: JobContract<P>, payload: P, turn?: Turn): Promise<void>;
  /**
   * Starts taking jobs of one kind. `signal` is aborted when the process stops; the handler then
   * hands its work back and returns.
   */
  work<P extends object>(contract: JobContract<P>, handler: JobHandler<P>, concurrency: number): Promise<void>;
  /**
   * Returns whether a tenant waits for this kind of job while none of its jobs of this kind runs.
   * That tenant's next job is then taken first. Long work that asks between its parts, and hands
   * back the rest when the answer is true, delays no tenant by more than one part.
   */
  othersWait(contract: JobSettings): Promise<boolean>;
  /** Counts waiting, running and failed jobs by kind: of one agent, or of the whole service. */
  counts(agent?: AgentPayload): Promise<JobCounts>;
  /** The names of the kinds of jobs that this service has. */
  readonly kinds: readonly string[];
  /** Returns whether a worker runs; also true while no job has been due for long enough to tell. */
  isWorked(): Promise<boolean>;
  /**
   * Returns for how long no worker has given a sign although jobs were due; infinite when there
   * never was a worker.
   */
  silentMs(): Promise<number>;
  /** Returns how many jobs wait in each queue, and how long; cheap even for long queues. */
  depths(): Promise<QueueDepth[]>;
  /**
   * Deletes the jobs of an agent, in any state.
   *
   * @returns the number of deleted jobs
   */
  forget(tx: Db, agent: AgentPayload): Promise<number>;
  /** Reads the jobs that match the filter, newest first. */
  list(filter: JobFilter): Promise<JobInfo[]>;
  /**
   * Runs a failed or waiting job now.
   *
   * @returns false when the job is no longer failed or waiting
   */
  retry(job: JobInfo): Promise<boolean>;
  /** Cancels a job that has not ended, or deletes a job that failed for good. */
  cancel(job: JobInfo): Promise<void>;
  /**
   * Takes no more jobs, and tells running ones to stop. Resolves when all have, or after
   * `HAND_BACK_MS`. Jobs can still be sent.
   */
  handBack(): Promise<void>;
  /** Hands jobs back, and closes the queue. Waits up to `BUILD_MS` for a job that cannot stop. */
  stop(): Promise<void>;
}

/**
 * The interval of a worker's heartbeat. When the worker is killed, its job goes to another after
 * this time. pg-boss takes no less than 10.
 */
const HEARTBEAT_SECONDS = 10;
const MAINTENANCE_SECONDS = 600;
/**
 * The interval at which pg-boss looks for jobs that depend on others, which Recollect does not have, and
 * at which an embedded database, whose one process cannot lose a worker, is looked after.
 */
const SELDOM_SECONDS = 60;
/**
 * The interval at which a process looks for due jobs of all kinds. New jobs are announced by NOTIFY; a
 * retry, or a delayed job that becomes due, is found only in this way.
 */
const LOOKOUT_MS = 2000;

/**
 * How long a process that also answers requests waits for its jobs before it stops answering. All
 * of its stop should fit into the ten seconds of `docker stop`.
 */
const HAND_BACK_MS = 5000;
/**
 * How long a process waits at its end for a job that cannot stop, such as the build of an index. A
 * process that has handed its jobs back has waited before, and its clients wait for the next process.
 */
const BUILD_MS = 20_000;
const BUILD_AFTER_HAND_BACK_MS = 1000;

/**
 * Starts pg-boss on the given database: installs its schema, creates the queues, and waits for jobs
 * by LISTEN, with polling as the fallback.
 *
 * @param options.kinds the kinds of jobs, each of which gets a queue
 * @param options.supervise whether this process looks after expired and abandoned jobs; true in
 *   processes with workers
 */
export async function startQueue(
  db: QueueDatabase,
  options: JobObserver & { supervise: boolean; kinds: readonly JobSettings[] },
): Promise<JobQueue> {
  const { kinds } = options;
  const names = kinds.map(({ name }) => name);
  const hands = new Map<string, Hands>();
  const announcer = createAnnouncer(db, (error) =>
    options.logger.warn({ err: describeFault(error) }, "jobs were not announced; workers find them by polling"),
  );
  const boss = new PgBoss(bossOptions(announcing(db, announcer, hands), options.supervise));
  boss.on("error", (error: Error) => options.logger.error({ err: describeFault(error) }, "queue error"));
  // Metrics cover pg-boss's other warnings, such as the number of waiting jobs.
  boss.on("warning", ({ message, data }) => {
    const { type, error } = data as { type?: string; error?: string };
    if (type === "listen_notify_unavailable") options.logger.warn({ reason: error }, message);
  });
  await createQueueSchema(db);
  await boss.start();
  await boss.createQueue(DEAD_LETTER, {});
  await createQueues(boss, kinds, db.afterCommit === undefined);
  await indexWaiting(db);
  // An embedded database has exactly one process, so every active job belongs to a process that has
  // died.
  if (db.kind === "pglite") await releaseAbandoned(db);
  const stopping = new AbortController();
  const lookout = startLookout(db, hands, (error) => boss.emit("error", error));
  const stopTaking = () => {
    stopping.abort();
    clearInterval(lookout);
    hands.clear();
  };
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
      // Next, run a job of a tenant that has none running, rather than the twentieth of this
      // tenant.
      await prefer(contract.name);
    }
  };
  return {
    send: async (tx, contract, payload, turn) => {
      const isDue = await sendJob(boss, tx, contract, payload, turn);
      if (isDue) announcer.announce(contract.name);
    },
    work: async (contract, handler, concurrency) => {
      const started = await startHands(boss, contract, {
        concurrency,
        run: (job) => run(contract, handler, job),
        prefer: (endedId) => prefer(contract.name, endedId),
      });
      hands.set(contract.name, started);
    },
    othersWait: (contract) => preferUnserved(db, contract.name),
    counts: (agent) => countAll(db, kinds, agent),
    kinds: names,
    isWorked: () => isWorked(db, names),
    silentMs: () => workerSilentMs(db, names),
    depths: () => queueDepths(db, [...names, DEAD_LETTER]),
    forget: forgetJobs,
    list: (filter) => listJobs(db, filter),
    retry: async (job) => {
      const isDue = await retryJob(boss, db, kinds, job);
      if (isDue) announcer.announce(job.kind);
      return isDue;
    },
    cancel: async (job) => {
      if (job.state === "failed") await deleteDeadLetter(db, job.id);
      else await boss.cancel(job.kind, job.id);
    },
    ...endOf(boss, names, stopTaking),
  };
}

/**
 * Looks now and then for jobs that were not announced, and wakes their workers: jobs that become due,
 * and all jobs where there is no LISTEN.
 */
function startLookout(
  db: QueueDatabase,
  hands: ReadonlyMap<string, Hands>,
  onError: (error: Error) => void,
): NodeJS.Timeout {
  let isLooking = false;
  const look = async () => {
    if (isLooking || hands.size === 0) return;
    isLooking = true;
    try {
      for (const name of await dueKinds(db, [...hands.keys()])) hands.get(name)?.wake();
    } catch (error) {
      onError(error as Error);
    } finally {
      isLooking = false;
    }
  };
  return setInterval(() => void look(), LOOKOUT_MS).unref();
}

/**
 * Returns the two ways to end the work of a queue.
 *
 * @param stopTaking takes no more jobs, and tells running ones to stop
 */
function endOf(boss: PgBoss, names: readonly string[], stopTaking: () => void): Pick<JobQueue, "handBack" | "stop"> {
  let isHandedBack = false;
  return {
    handBack: async () => {
      isHandedBack = true;
      stopTaking();
      const handed = Promise.all(names.map((name) => boss.offWork(name)));
      const waited = new AbortController();
      await Promise.race([handed, sleep(HAND_BACK_MS, undefined, { signal: waited.signal }).catch(() => undefined)]);
      waited.abort();
    },
    stop: async () => {
      stopTaking();
      await boss.stop({ graceful: true, timeout: isHandedBack ? BUILD_AFTER_HAND_BACK_MS : BUILD_MS });
    },
  };
}

/** Implements `JobQueue.send`. @returns whether a job was sent that is due at once */
async function sendJob<P extends object>(
  boss: PgBoss,
  tx: QueueTransaction,
  contract: JobContract<P>,
  payload: P,
  turn: Turn | undefined,
): Promise<boolean> {
  const once = typeof turn === "object" ? turn.unlessOneWaits : turn?.includes("unless one waits");
  const states = ["created", "retry", ...(turn === "in a minute, unless one waits or runs" ? ["active"] : [])];
  if (once && (await hasJob(tx, contract.name, contract.key(payload), states))) return false;
  const isDelayed = contract.startAfterSeconds > 0 || typeof turn === "object" || turn?.startsWith("in a minute");
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
  return !isDelayed;
}

/** Returns the database, which also tells the workers of a kind about announced jobs. */
function announcing(db: QueueDatabase, announcer: Announcer, hands: ReadonlyMap<string, Hands>): QueueDatabase {
  return {
    ...db,
    listen: (channel, onNotification, onReconnect) => {
      announcer.listensOn(channel);
      const onJob = (name: string) => {
        onNotification(name);
        hands.get(name)?.look();
      };
      // pg-boss wakes only the workers of queues that send NOTIFY themselves.
      const onConnectedAgain = () => {
        onReconnect();
        for (const name of hands.keys()) onJob(name);
      };
      return db.listen(channel, onJob, onConnectedAgain);
    },
  };
}

function bossOptions(db: QueueDatabase, supervise: boolean): ConstructorOptions {
  const supervisedSeconds = db.kind === "pglite" ? SELDOM_SECONDS : HEARTBEAT_SECONDS;
  return {
    db,
    backend: db.kind,
    schema: QUEUE_SCHEMA,
    supervise,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: supervisedSeconds,
    monitorIntervalSeconds: supervisedSeconds,
    flowIntervalSeconds: SELDOM_SECONDS,
    // The interval at which ended jobs are deleted. pg-boss's default is once a day.
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
  };
}

/**
 * Returns the group of a job. pg-boss allows one active job per group, and finds it by looking at
 * the jobs themselves. Its policy `singleton` uses a cached list of active keys: after a worker was
 * killed, or had just finished, a key stayed blocked for up to a minute.
 */
function placeOf(contract: Pick<JobSettings, "concurrency">, key: string) {
  return { group: { id: key }, ...(contract.concurrency === "one-waiting" ? { singletonKey: key } : {}) };
}

/** @param notify whether pg-boss announces jobs within the transaction that inserts them */
async function createQueues(boss: PgBoss, kinds: readonly JobSettings[], notify: boolean): Promise<void> {
  for (const kind of kinds) await createQueue(boss, kind, notify);
  const names = kinds.map(({ name }) => name);
  // An older release created queues that send NOTIFY within transactions.
  for (const queue of await boss.getQueues(names))
    if (queue.notify !== notify) await boss.updateQueue(queue.name, { notify });
  // pg-boss reads a queue's settings on first use, through its own connection. If that happened
  // inside a transaction of the embedded database, which then holds the only session, the read
  // would wait for ever. So they are read here.
  for (const name of names) await boss.findJobs(name, { id: "00000000-0000-0000-0000-000000000000" });
}

async function createQueue(boss: PgBoss, contract: JobSettings, notify: boolean): Promise<void> {
  await boss.createQueue(contract.name, {
    policy: contract.concurrency === "one-waiting" ? "short" : "standard",
    retryLimit: contract.retryLimit,
    retryDelay: contract.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: contract.retryDelayMaxSeconds,
    expireInSeconds: contract.expireInSeconds,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: contract.keepSeconds ?? 3600,
    notify,
    deadLetter: DEAD_LETTER,
  });
}

/**
 * Runs a job again: a dead letter becomes a new job of its kind, and a job that waits for its next
 * try becomes due at once.
 */
async function retryJob(
  boss: PgBoss,
  db: QueueDatabase,
  kinds: readonly JobSettings[],
  job: JobInfo,
): Promise<boolean> {
  const kind = kinds.find((one) => one.name === job.kind);
  if (!kind) return false;
  if (job.state === "failed") {
    if (!(await deleteDeadLetter(db, job.id))) return false;
    const { tenantId, agentId } = job.payload as Partial<AgentPayload>;
    const key = tenantId === undefined || agentId === undefined ? kind.name : agentKey({ tenantId, agentId });
    await boss.send(job.kind, job.payload, placeOf(kind, key));
    return true;
  }
  return makeDue(db, job);
}

async function countAll(
  db: QueueDatabase,
  kinds: readonly JobSettings[],
  agent: AgentPayload | undefined,
): Promise<JobCounts> {
  const counted = await countJobs(db, agent && agentKey(agent));
  const none = { waiting: 0, active: 0, failed: 0 };
  return Object.fromEntries(kinds.map(({ name }) => [name, counted[name] ?? none]));
}

/**
 * Prepares pg-boss's INSERT of a job: its hundred lines take Postgres 0.9 ms, of which 0.5 ms are
 * planning.
 */
function prepared(tx: QueueTransaction): Db {
  return { executeSql: (text, values) => tx.executeSql(text, values, { prepare: true }) };
}
