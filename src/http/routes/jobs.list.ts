import { createRoute, z } from "@hono/zod-openapi";
import { listTenantJobs } from "../../service/manage-jobs.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, job, jobState, json, needs } from "../schemas.ts";

const query = z.strictObject({
  agentId: z.string().max(63).optional(),
  state: jobState.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const route = createRoute({
  method: "get",
  path: "/v1/jobs",
  operationId: "jobsList",
  tags: ["Jobs"],
  summary: "List the tenant's background jobs, newest first",
  ...needs("tenant"),
  request: { query },
  responses: { 200: json(z.object({ jobs: z.array(job) }), "Finished ones for an hour"), ...errorResponses },
});

/** GET the tenant's jobs. */
export function registerJobsList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    return c.json({ jobs: await listTenantJobs(service, c.get("caller"), c.req.valid("query")) }, 200);
  });
}
