import { createRoute } from "@hono/zod-openapi";
import { readTenant } from "../../service/admin/manage-tenants.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, limits, needs, tenant, tenantUsage } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/tenant",
  operationId: "tenantGet",
  tags: ["Tenants"],
  summary: "The caller's tenant, with its usage",
  ...needs("tenant"),
  responses: { 200: json(tenant.extend({ usage: tenantUsage, effectiveLimits: limits }), "It"), ...errorResponses },
});

/** GET the caller's own tenant. */
export function registerTenantGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await readTenant(service, c.get("caller")), 200));
}
