import { createRoute, z } from "@hono/zod-openapi";
import { revokeKey } from "../../service/admin/manage-keys.ts";
import type { App, HttpDeps } from "../context.ts";
import { apiKey, errorResponses, json, needs } from "../schemas.ts";

const params = z.object({ keyId: z.uuid().openapi({ param: { in: "path", name: "keyId" } }) });

const route = createRoute({
  method: "delete",
  path: "/v1/keys/{keyId}",
  operationId: "keysRevoke",
  tags: ["Keys"],
  summary: "Revoke an API key",
  ...needs("tenant"),
  request: { params },
  responses: { 200: json(apiKey, "Refused everywhere from now on"), ...errorResponses },
});

/** DELETE, that is revoke, a key. */
export function registerKeysRevoke(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await revokeKey(service, c.get("caller"), c.req.valid("param").keyId), 200));
}
