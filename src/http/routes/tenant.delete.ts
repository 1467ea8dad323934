import { createRoute, z } from "@hono/zod-openapi";
import { removeTenant } from "../../service/admin/manage-tenants.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/tenant",
  operationId: "tenantDelete",
  tags: ["Tenants"],
  summary: "Remove a tenant that has no agents left; name it with the header Recollect-Tenant",
  ...needs("admin"),
  responses: { 200: json(z.object({ removed: z.literal(true) }), "It is gone, with its keys"), ...errorResponses },
});

/** DELETE an empty tenant. */
export function registerTenantDelete(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    await removeTenant(service, c.get("caller"));
    return c.json({ removed: true as const }, 200);
  });
}
