import { createRoute, z } from "@hono/zod-openapi";
import { listTenantJobs } from "../../service/admin/manage-jobs.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, job, jobState, json, needs, pageQuery } from "../schemas.ts";

const query = pageQuery.extend({ agentId: z.string().max(63).optional(), state: jobState.optional() });

const route = createRoute({
  method: "get",
  path: "/v1/jobs",
  operationId: "jobsList",
  tags: ["Jobs"],
  summary: "List the tenant's background jobs, newest first",
  ...needs("tenant"),
  request: { query },
  responses: {
    200: json(
      z.object({ jobs: z.array(job), nextCursor: z.string().optional() }),
      "One page; finished ones for an hour",
    ),
    ...errorResponses,
  },
});

/** GET a page of the tenant's jobs. */
export function registerJobsList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await listTenantJobs(service, c.get("caller"), c.req.valid("query")), 200));
}
