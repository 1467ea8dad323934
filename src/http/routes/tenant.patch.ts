import { createRoute, z } from "@hono/zod-openapi";
import { changeTenant } from "../../service/admin/manage-tenants.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, jsonObject, name, needs, tenant } from "../schemas.ts";

const body = z
  .strictObject({
    name: name.optional(),
    settings: jsonObject.optional(),
    limits: jsonObject.optional(),
    disabled: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, "must change something");

const route = createRoute({
  method: "patch",
  path: "/v1/tenant",
  operationId: "tenantPatch",
  tags: ["Tenants"],
  summary: "Change the caller's tenant; name, limits and disabled need the scope admin",
  ...needs("tenant"),
  request: { body: { required: true, ...json(body, "settings and limits are JSON merge patches") } },
  responses: { 200: json(tenant, "As it is now"), ...errorResponses },
});

/** PATCH the caller's own tenant. */
export function registerTenantPatch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await changeTenant(service, c.get("caller"), c.req.valid("json")), 200));
}
