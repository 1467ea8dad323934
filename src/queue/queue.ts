import { type ConstructorOptions, type Db, PgBoss } from "pg-boss";
import type { Logger } from "../base/logger.ts";
import { JOB_CONTRACTS, type JobContract } from "./job-contracts.ts";

/** The database as pg-boss sees it; structurally the seam's Database. */
export interface QueueDatabase extends Db {
  readonly kind: "postgres" | "pglite";
}

export interface JobQueue {
  /** Enqueues a job through `tx`, so that it exists exactly when the transaction commits. */
  send<P extends object>(tx: Db, contract: JobContract<P>, payload: P): Promise<void>;
  /** Starts taking jobs of one kind. `signal` is aborted when the process stops: hand the work back and return. */
  work<P extends object>(
    contract: JobContract<P>,
    handler: (payload: P, signal: AbortSignal) => Promise<void>,
    concurrency: number,
  ): Promise<void>;
  /** Jobs waiting, running and failed, by kind. */
  counts(): Promise<Record<string, { waiting: number; active: number; failed: number }>>;
  stop(): Promise<void>;
}

const SCHEMA = "recollect_jobs";
/** A worker that is killed stops its heartbeat; after this its job goes to another. pg-boss takes no less than 10. */
const HEARTBEAT_SECONDS = 10;
/** New jobs are announced by NOTIFY; a retry or a delayed job that falls due is only found by polling. */
const POLLING_SECONDS = 2;
const DEAD_LETTER = "dead-letter";

/**
 * Starts pg-boss on the given database: installs its schema, creates the queues, and waits for jobs by LISTEN, with
 * polling as the fallback.
 *
 * @param options.supervise whether this process looks after expired and abandoned jobs; true where there are workers.
 */
export async function startQueue(
  db: QueueDatabase,
  options: { logger: Logger; supervise: boolean },
): Promise<JobQueue> {
  const boss = new PgBoss(bossOptions(db, options.supervise));
  boss.on("error", (error: Error) => options.logger.error({ err: { message: error.message } }, "queue error"));
  await boss.start();
  await boss.createQueue(DEAD_LETTER, {});
  for (const contract of JOB_CONTRACTS) await createQueue(boss, contract);
  // An embedded database has exactly one process: whatever is marked active belongs to one that died.
  if (db.kind === "pglite") await releaseAbandoned(db);
  const stopping = new AbortController();
  return {
    send: async (tx, contract, payload) => {
      await boss.send(contract.name, payload, {
        db: tx,
        singletonKey: contract.key(payload),
        ...(contract.startAfterSeconds > 0 ? { startAfter: contract.startAfterSeconds } : {}),
      });
    },
    work: async (contract, handler, concurrency) => {
      await boss.work(
        contract.name,
        { localConcurrency: concurrency, notifyPollingIntervalSeconds: POLLING_SECONDS },
        async ([job]) => {
          if (job) await handler(contract.payload.parse(job.data), AbortSignal.any([job.signal, stopping.signal]));
        },
      );
    },
    counts: () => countJobs(boss),
    stop: async () => {
      stopping.abort();
      await boss.stop({ graceful: true, timeout: 20_000 });
    },
  };
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
  };
}

async function createQueue<P>(boss: PgBoss, contract: JobContract<P>): Promise<void> {
  await boss.createQueue(contract.name, {
    policy: contract.policy,
    retryLimit: contract.retryLimit,
    retryDelay: contract.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: contract.retryDelayMaxSeconds,
    expireInSeconds: contract.expireInSeconds,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: 3600,
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

async function countJobs(boss: PgBoss) {
  const queues = await boss.getQueues(JOB_CONTRACTS.map((contract) => contract.name));
  return Object.fromEntries(
    queues.map((queue) => [
      queue.name,
      { waiting: queue.queuedCount, active: queue.activeCount, failed: queue.failedCount },
    ]),
  );
}
