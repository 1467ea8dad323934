import { AppError } from "../../base/errors.ts";
import { decodePositionCursor, pageOf, positionKey } from "../../base/page-cursor.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import type { JobInfo, JobState } from "../../queue/pg-boss-sql.ts";
import { authoriseUnbound, holds } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

/** A background job, without the error texts of a provider or the database. */
export interface JobSummary {
  id: string;
  kind: string;
  state: JobState;
  agentId: string | null;
  retryCount: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  error: { code: string; message: string } | null;
}

/**
 * Returns one page of a tenant's jobs, newest first. The operator also sees the jobs of the service
 * as a whole.
 *
 * @throws AppError `forbidden`, `invalid_request`
 */
export async function listTenantJobs(
  deps: Deps,
  caller: Caller,
  wanted: { agentId?: string | undefined; state?: JobState | undefined; cursor?: string | undefined; limit: number },
): Promise<{ jobs: JobSummary[]; nextCursor?: string }> {
  authoriseUnbound(caller, "tenant");
  const ofService = holds(caller, "admin");
  const { cursor, limit, ...filter } = wanted;
  const of = { ...filter, tenantId: caller.tenantId, ofService };
  const rows = await deps.queue.list({ ...of, after: decodePositionCursor(cursor), limit: limit + 1 });
  const { page, next } = pageOf(rows, limit, positionKey);
  return { jobs: page.map(summary), ...next };
}

/** Returns one job. @throws AppError `forbidden`, `job_not_found` */
export async function readJob(deps: Deps, caller: Caller, jobId: string): Promise<JobSummary> {
  return summary(await find(deps, caller, jobId));
}

/**
 * Runs a job at once. The job must have failed for good, or wait for its next attempt.
 *
 * @throws AppError `forbidden`, `job_not_found`, `invalid_request`
 */
export async function retryJob(deps: Deps, caller: Caller, jobId: string): Promise<void> {
  const job = await find(deps, caller, jobId);
  if (!deps.queue.kinds.includes(job.kind))
    throw new AppError(
      "invalid_request",
      `This server has no jobs of the kind ${job.kind}: the feature is switched off.`,
    );
  if (!(await deps.queue.retry(job))) throw notRetried(job.state);
  await note(deps, caller, "job.retry", job);
}

/**
 * Cancels a job that has not ended, or removes one that failed. A running job continues until its
 * next step.
 *
 * @throws AppError `forbidden`, `job_not_found`, `invalid_request` when the job is completed
 */
export async function cancelJob(deps: Deps, caller: Caller, jobId: string): Promise<void> {
  const job = await find(deps, caller, jobId);
  if (job.state === "completed")
    throw new AppError("invalid_request", "This job is completed; there is nothing to cancel.");
  await deps.queue.cancel(job);
  await note(deps, caller, "job.cancel", job);
}

async function find(deps: Deps, caller: Caller, jobId: string): Promise<JobInfo> {
  authoriseUnbound(caller, "tenant");
  const tenantId = holds(caller, "admin") ? undefined : caller.tenantId;
  const [job] = await deps.queue.list({ tenantId, id: jobId, limit: 1 });
  if (!job) throw notFound();
  return job;
}

function notFound(): AppError {
  return new AppError("job_not_found", "There is no such job. Finished jobs are removed after an hour.");
}

function notRetried(state: JobState): AppError {
  const what = state === "active" ? "is running" : `is ${state}`;
  return new AppError("invalid_request", `This job ${what}; only a job that has failed, or waits, can be tried again.`);
}

function note(deps: Deps, caller: Caller, action: string, job: JobInfo): Promise<void> {
  const { agentId } = job.payload;
  const agent = typeof agentId === "string" ? { agentId } : {};
  const audit = { at: deps.clock(), actor: caller.actor, action, target: job.id };
  return insertAudit(deps.db, { tenantId: caller.tenantId, ...audit, details: { kind: job.kind, ...agent } });
}

function summary(job: JobInfo): JobSummary {
  const { agentId } = job.payload;
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    agentId: typeof agentId === "string" ? agentId : null,
    retryCount: job.retryCount,
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    endedAt: job.endedAt?.toISOString() ?? null,
    error: job.state === "failed" || job.state === "retry" ? describeFailure(job.output) : null,
  };
}

/**
 * Returns a job's error for users. An `AppError` has a message for people. Any other error shows
 * only its code.
 */
export function describeFailure(output: JobInfo["output"]): JobSummary["error"] {
  if (output === null) return null;
  const code = typeof output.code === "string" ? output.code : "internal";
  const ours = output.name === "AppError" && typeof output.message === "string";
  return { code, message: ours ? String(output.message) : "The job failed; the worker's log says why." };
}
