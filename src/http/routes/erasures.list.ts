import { createRoute, z } from "@hono/zod-openapi";
import { listErasures } from "../../service/admin/erase-agent.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, pageQuery, receipt } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/erasures",
  operationId: "erasuresList",
  tags: ["Administration"],
  summary: "Receipts of erased agents, newest first",
  ...needs("tenant"),
  request: { query: pageQuery },
  responses: {
    200: json(
      z.object({ erasures: z.array(receipt.omit({ pathHashes: true })), nextCursor: z.string().optional() }),
      "One page, without the paths' hashes",
    ),
    ...errorResponses,
  },
});

/** GET a page of the tenant's erasure receipts. */
export function registerErasuresList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await listErasures(service, c.get("caller"), c.req.valid("query")), 200));
}
