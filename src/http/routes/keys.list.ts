import { createRoute, z } from "@hono/zod-openapi";
import { listKeys } from "../../service/manage-keys.ts";
import type { App, HttpDeps } from "../context.ts";
import { apiKey, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/keys",
  operationId: "keysList",
  tags: ["Keys"],
  summary: "List the tenant's API keys",
  ...needs("tenant"),
  responses: { 200: json(z.object({ keys: z.array(apiKey) }), "All keys, oldest first"), ...errorResponses },
});

/** GET the tenant's keys. */
export function registerKeysList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json({ keys: await listKeys(service, c.get("caller")) }, 200));
}
