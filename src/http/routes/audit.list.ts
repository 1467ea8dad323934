import { createRoute, z } from "@hono/zod-openapi";
import { readAudit } from "../../service/admin/read-audit.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, jsonObject, needs, pageQuery } from "../schemas.ts";

const entry = z.object({
  id: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  details: jsonObject,
});

const route = createRoute({
  method: "get",
  path: "/v1/audit",
  operationId: "auditList",
  tags: ["Administration"],
  summary: "The tenant's administrative acts, newest first",
  ...needs("tenant"),
  request: { query: pageQuery },
  responses: {
    200: json(z.object({ entries: z.array(entry), nextCursor: z.string().optional() }), "One page"),
    ...errorResponses,
  },
});

/** GET a page of the tenant's audit log. */
export function registerAuditList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await readAudit(service, c.get("caller"), c.req.valid("query")), 200));
}
