import { createRoute, z } from "@hono/zod-openapi";
import { listErasures } from "../../service/erase-agent.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, receipt } from "../schemas.ts";

const query = z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(100) });

const route = createRoute({
  method: "get",
  path: "/v1/erasures",
  operationId: "erasuresList",
  tags: ["Administration"],
  summary: "Receipts of erased agents, newest first",
  ...needs("tenant"),
  request: { query },
  responses: {
    200: json(z.object({ erasures: z.array(receipt.omit({ pathHashes: true })) }), "Without the paths' hashes"),
    ...errorResponses,
  },
});

/** GET the tenant's erasure receipts. */
export function registerErasuresList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const erasures = await listErasures(service, c.get("caller"), c.req.valid("query").limit);
    return c.json({ erasures }, 200);
  });
}
