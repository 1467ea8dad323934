import { createRoute, z } from "@hono/zod-openapi";
import { createKey } from "../../service/admin/manage-keys.ts";
import { timestamp } from "../../service/core/schemas.ts";
import type { App, HttpDeps } from "../context.ts";
import { apiKey, errorResponses, json, name, needs, scope } from "../schemas.ts";

const body = z.strictObject({
  name,
  scopes: z.array(scope).min(1).max(5),
  agentId: z.string().max(63).optional(),
  expiresAt: timestamp.optional(),
  requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
});

const route = createRoute({
  method: "post",
  path: "/v1/keys",
  operationId: "keysCreate",
  tags: ["Keys"],
  summary: "Make an API key",
  ...needs("tenant"),
  request: { body: { required: true, ...json(body, "What the key is for") } },
  responses: { 201: json(apiKey.extend({ key: z.string() }), "The key; it is shown only here"), ...errorResponses },
});

/** POST a new API key. */
export function registerKeysCreate(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await createKey(service, c.get("caller"), c.req.valid("json")), 201));
}
