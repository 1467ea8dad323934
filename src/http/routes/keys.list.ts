import { createRoute, z } from "@hono/zod-openapi";
import { listKeys } from "../../service/admin/manage-keys.ts";
import type { App, HttpDeps } from "../context.ts";
import { apiKey, errorResponses, json, needs, pageQuery } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/keys",
  operationId: "keysList",
  tags: ["Keys"],
  summary: "List the tenant's API keys, oldest first",
  ...needs("tenant"),
  request: { query: pageQuery },
  responses: {
    200: json(z.object({ keys: z.array(apiKey), nextCursor: z.string().optional() }), "One page"),
    ...errorResponses,
  },
});

/** GET a page of the tenant's keys. */
export function registerKeysList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await listKeys(service, c.get("caller"), c.req.valid("query")), 200));
}
