import { createRoute } from "@hono/zod-openapi";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, keyInUse } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/key",
  operationId: "keyGet",
  tags: ["Keys"],
  summary: "What the key that asks is for: its tenant, its scopes, and its agent if it is for one only",
  security: [{ apiKey: [] }],
  responses: { 200: json(keyInUse, "It"), ...errorResponses },
});

/** GET who asks. */
export function registerKeyGet(app: App, _deps: HttpDeps): void {
  app.openapi(route, (c) => {
    const { tenantId, scopes, agentId = null } = c.get("caller");
    return c.json({ tenantId, scopes: [...scopes], agentId }, 200);
  });
}
