import { type Job, jobOfAgent } from "../../jobs/job.ts";
import { BRANCH_JOB, copyBranch } from "./branch-agent.ts";

export const branchJob: Job = jobOfAgent(BRANCH_JOB, 1, (deps, { caller, job }) => copyBranch(deps, caller, job));
