import type { Job, PgBoss } from "pg-boss";
import type { JobSettings } from "./job-contracts.ts";
import { FIRST } from "./pg-boss-sql.ts";

/** The workers of one kind of job in this process. */
export interface Hands {
  /**
   * Looks for a tenant that none of the workers serves, if all of them are busy. Must be called
   * when a job is announced.
   */
  look(): void;
  /** Makes the workers look for jobs. Must be called when jobs are due that were not announced. */
  wake(): void;
}

interface HandsOptions {
  concurrency: number;
  run(job: Job): Promise<void>;
  /**
   * Marks the next job of each tenant that has no active job. It never throws.
   *
   * @param endedId a job that is about to end and no longer counts as active
   * @returns whether there is such a tenant
   */
  prefer(endedId?: string): Promise<boolean>;
}

/**
 * The interval at which each worker looks for jobs by itself. The queue looks for the due jobs of all
 * kinds with one statement every two seconds; looking here as often cost an idle process twenty
 * statements a second.
 */
const POLLING_SECONDS = 60;

/**
 * Takes jobs of a queue, one at a time with each of `concurrency` workers. For jobs of tenants
 * there is one worker more, the spare, which takes only the first job of a tenant that has none
 * active. Another tenant's first job therefore begins at once, however long one tenant's jobs take.
 */
export async function startHands(boss: PgBoss, contract: JobSettings, options: HandsOptions): Promise<Hands> {
  const { concurrency, run, prefer } = options;
  const settings = {
    pollingIntervalSeconds: POLLING_SECONDS,
    notifyPollingIntervalSeconds: POLLING_SECONDS,
    groupConcurrency: 1,
  };
  let busy = 0;
  const workers: string[] = [];
  for (let count = 0; count < concurrency; count++)
    workers.push(
      await startWorker(boss, contract, settings, async (job) => {
        busy++;
        await run(job).finally(() => {
          busy--;
        });
      }),
    );
  const wakeWorkers = () => {
    for (const id of workers) boss.notifyWorker(id);
  };
  if (!contract.ofTenants) return { look: () => undefined, wake: wakeWorkers };

  let isSpareBusy = false;
  const spareId = await startWorker(boss, contract, { ...settings, minPriority: FIRST }, async (job) => {
    isSpareBusy = true;
    try {
      await run(job);
      // The next job of the same tenant is marked only when no other tenant waits. Otherwise a
      // tenant with many agents would keep the spare worker.
      if (!(await prefer())) await prefer(job.id);
    } finally {
      isSpareBusy = false;
    }
  });
  let looking: Promise<unknown> | undefined;
  let isAskedAgain = false;
  const look = () => {
    if (busy < concurrency || isSpareBusy) return;
    if (looking) {
      isAskedAgain = true;
      return;
    }
    isAskedAgain = false;
    looking = prefer()
      .then((waits) => waits && boss.notifyWorker(spareId))
      .finally(() => {
        looking = undefined;
        if (isAskedAgain) look();
      });
  };
  const wake = () => {
    wakeWorkers();
    look();
  };
  return { look, wake };
}

/**
 * Starts one worker. pg-boss pauses between two fetches even when the first has found a job, so
 * twenty short jobs would take forty seconds. A worker that has finished a job therefore looks for
 * the next at once.
 */
async function startWorker(
  boss: PgBoss,
  { name }: JobSettings,
  options: {
    pollingIntervalSeconds: number;
    notifyPollingIntervalSeconds: number;
    groupConcurrency: number;
    minPriority?: number;
  },
  run: (job: Job) => Promise<void>,
): Promise<string> {
  const worker = { id: "" };
  worker.id = await boss.work<object>(name, options, async ([job]) => {
    try {
      if (job) await run(job);
    } finally {
      boss.notifyWorker(worker.id);
    }
  });
  return worker.id;
}
