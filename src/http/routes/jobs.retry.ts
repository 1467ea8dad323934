import { createRoute, z } from "@hono/zod-openapi";
import { retryJob } from "../../service/admin/manage-jobs.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, jobParam, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/jobs/{jobId}/retry",
  operationId: "jobsRetry",
  tags: ["Jobs"],
  summary: "Run a failed or waiting job now",
  ...needs("tenant"),
  request: { params: jobParam, body: { required: true, ...json(z.strictObject({}), "Nothing") } },
  responses: { 202: json(z.object({ retried: z.literal(true) }), "It is due"), ...errorResponses },
});

/** POST the wish that a job be tried again. */
export function registerJobsRetry(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    await retryJob(service, c.get("caller"), c.req.valid("param").jobId);
    return c.json({ retried: true as const }, 202);
  });
}
