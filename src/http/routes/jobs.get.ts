import { createRoute } from "@hono/zod-openapi";
import { readJob } from "../../service/admin/manage-jobs.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, job, jobParam, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/jobs/{jobId}",
  operationId: "jobsGet",
  tags: ["Jobs"],
  summary: "One background job",
  ...needs("tenant"),
  request: { params: jobParam },
  responses: { 200: json(job, "The job"), ...errorResponses },
});

/** GET one job. */
export function registerJobsGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await readJob(service, c.get("caller"), c.req.valid("param").jobId), 200));
}
