import { type Job, jobOfAgent } from "../../jobs/job.ts";
import { type AgentPayload, type JobContract, OF_AGENT } from "../../queue/job-contracts.ts";
import { exportToFolder, type ScheduledExports } from "./export-to-folder.ts";

/** Writes an agent's archive to the operator's folder. */
export const EXPORT_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "export",
  retryLimit: 5,
  retryDelaySeconds: 60,
  retryDelayMaxSeconds: 900,
  expireInSeconds: 6 * 3600,
};

/**
 * Returns the job of scheduled archives.
 *
 * @param exports undefined: the operator wants none; jobs that an earlier process enqueued do
 *   nothing
 */
export function exportJob(exports: ScheduledExports | undefined): Job {
  return jobOfAgent(EXPORT_JOB, 1, async (deps, { caller, job, signal }) => {
    if (exports) await exportToFolder(deps, caller, job, { ...exports, signal });
  });
}
