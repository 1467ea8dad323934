import { AppError } from "../base/errors.ts";
import type { AgentPayload, JobContract, JobSettings } from "../queue/job-contracts.ts";
import type { JobQueue } from "../queue/queue.ts";
import { jobCaller } from "../service/core/authenticate.ts";
import type { Caller } from "../service/core/core-deps.ts";
import type { Deps } from "../service/deps.ts";

/** A kind of job with its use case. */
export interface Job {
  readonly settings: JobSettings;
  /** Lets this process take jobs of this kind. */
  start(queue: JobQueue, deps: Deps): Promise<void>;
}

/** The values that a use case takes from a job. */
export interface Given<P> {
  job: P;
  /** The job's tenant, with the rights of a worker. */
  caller: Caller;
  /** Aborted when the process stops. */
  signal: AbortSignal;
  waitedMs: number;
}

/**
 * Defines a kind of job that belongs to an agent. The failure of a job whose agent was erased or
 * disabled meanwhile is ignored: it has nothing left to do. Enabling the agent starts a new job.
 *
 * @param concurrency the most jobs of this kind that one process runs at a time
 */
export function jobOfAgent<P extends AgentPayload>(
  contract: JobContract<P>,
  concurrency: number,
  run: (deps: Deps, given: Given<P>) => Promise<void>,
): Job {
  return {
    settings: contract,
    start: (queue, deps) =>
      queue.work(
        contract,
        (job, signal, waitedMs) => unlessGone(run(deps, { job, caller: jobCaller(job.tenantId), signal, waitedMs })),
        concurrency,
      ),
  };
}

/** Defines a kind of job that belongs to the service. One process runs one such job at a time. */
export function jobOfService<P extends object>(
  contract: JobContract<P>,
  run: (deps: Deps, job: P, signal: AbortSignal) => Promise<void>,
): Job {
  return {
    settings: contract,
    start: (queue, deps) => queue.work(contract, (job, signal) => run(deps, job, signal), 1),
  };
}

async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError && (error.code === "agent_not_found" || error.code === "agent_disabled")) return;
    throw error;
  }
}
