import { createRoute, z } from "@hono/zod-openapi";
import { cancelJob } from "../../service/admin/manage-jobs.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, jobParam, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/jobs/{jobId}",
  operationId: "jobsCancel",
  tags: ["Jobs"],
  summary: "Cancel a job, or forget one that failed for good",
  ...needs("tenant"),
  request: { params: jobParam },
  responses: { 200: json(z.object({ cancelled: z.literal(true) }), "It will not be tried again"), ...errorResponses },
});

/** DELETE, that is cancel, a job. */
export function registerJobsCancel(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    await cancelJob(service, c.get("caller"), c.req.valid("param").jobId);
    return c.json({ cancelled: true as const }, 200);
  });
}
