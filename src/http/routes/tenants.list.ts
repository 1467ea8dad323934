import { createRoute, z } from "@hono/zod-openapi";
import { listAllTenants } from "../../service/admin/manage-tenants.ts";
import type { App, HttpDeps } from "../context.ts";
import { decodeCursor, toPage } from "../page.ts";
import { errorResponses, json, needs, pageQuery, tenant } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/tenants",
  operationId: "tenantsList",
  tags: ["Tenants"],
  summary: "List all tenants by name",
  ...needs("admin"),
  request: { query: pageQuery },
  responses: {
    200: json(z.object({ tenants: z.array(tenant), nextCursor: z.string().optional() }), "One page"),
    ...errorResponses,
  },
});

/** GET a page of all tenants. */
export function registerTenantsList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { cursor, limit } = c.req.valid("query");
    const rows = await listAllTenants(service, c.get("caller"), { after: decodeCursor(cursor), limit: limit + 1 });
    const { page, next } = toPage(rows, limit, (row) => row.name);
    return c.json({ tenants: page, ...next }, 200);
  });
}
