import { type Job, jobOfAgent } from "../../jobs/job.ts";
import { advanceBatches } from "./advance-batches.ts";
import { EMBED_BATCH_JOB } from "./plan-batches.ts";

/** The most agents whose batches one process advances at the same time. */
const CONCURRENCY = 2;

export const batchJob: Job = jobOfAgent(EMBED_BATCH_JOB, CONCURRENCY, (deps, { caller, job, signal }) =>
  advanceBatches(deps, caller, job.agentId, signal),
);
