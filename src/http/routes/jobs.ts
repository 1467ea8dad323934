import { z } from "@hono/zod-openapi";
import { cancelJob, listTenantJobs, readJob, retryJob } from "../../service/admin/manage-jobs.ts";
import { job, jobState } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, nothing, paged, pageQuery } from "../schemas.ts";

const listQuery = pageQuery.extend({ agentId: z.string().max(63).optional(), state: jobState.optional() });

const route = routesOf("Jobs");

export const jobRoutes = [
  route("GET /v1/jobs", {
    operationId: "jobsList",
    summary: "List the tenant's background jobs, newest first",
    description: "Shows what each job is for, its state, and the reason for its last failure.",
    scope: "tenant",
    query: listQuery,
    answer: json(paged({ jobs: z.array(job) }), "One page; finished ones for an hour"),
    run: (deps, caller, { query }) => listTenantJobs(deps, caller, query),
  }),
  route("GET /v1/jobs/{jobId}", {
    operationId: "jobsGet",
    summary: "One background job",
    description: "Shows the state of the job, its attempts, and the reason for its last failure.",
    scope: "tenant",
    answer: json(job, "The job"),
    run: (deps, caller, { params }) => readJob(deps, caller, params.jobId),
  }),
  route("POST /v1/jobs/{jobId}/retry", {
    operationId: "jobsRetry",
    summary: "Run a failed or waiting job now",
    description: "Refuses a job that runs or is done. It does not wait for the job to end.",
    scope: "tenant",
    body: nothing,
    status: 202,
    answer: json(z.object({ retried: z.literal(true) }), "The job is due"),
    run: async (deps, caller, { params }) => {
      await retryJob(deps, caller, params.jobId);
      return { retried: true as const };
    },
  }),
  route("DELETE /v1/jobs/{jobId}", {
    operationId: "jobsCancel",
    summary: "Cancel a job, or remove one that failed for good",
    description: "A job that is running goes on until its next step.",
    scope: "tenant",
    answer: json(z.object({ cancelled: z.literal(true) }), "The job will not be tried again"),
    run: async (deps, caller, { params }) => {
      await cancelJob(deps, caller, params.jobId);
      return { cancelled: true as const };
    },
  }),
];
