import { type Job, jobOfAgent } from "../../jobs/job.ts";
import { INGEST_JOB, ingestFiles } from "./ingest-files.ts";

/** A job waits for a model most of the time. */
const CONCURRENCY = 2;

export const ingestJob: Job = jobOfAgent(INGEST_JOB, CONCURRENCY, (deps, { caller, job, signal }) =>
  ingestFiles(deps, caller, job.agentId, signal),
);
