import { createRoute, z } from "@hono/zod-openapi";
import { createTenant } from "../../service/admin/manage-tenants.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, jsonObject, name, needs, tenant } from "../schemas.ts";

const body = z.strictObject({ name, settings: jsonObject.optional(), limits: jsonObject.optional() });

const route = createRoute({
  method: "post",
  path: "/v1/tenants",
  operationId: "tenantsCreate",
  tags: ["Tenants"],
  summary: "Create a tenant",
  ...needs("admin"),
  request: { body: { required: true, ...json(body, "The tenant") } },
  responses: { 201: json(tenant, "Act in it with the header Recollect-Tenant, or make it a key"), ...errorResponses },
});

/** POST a new tenant. */
export function registerTenantsCreate(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await createTenant(service, c.get("caller"), c.req.valid("json")), 201));
}
