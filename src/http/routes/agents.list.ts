import { createRoute, z } from "@hono/zod-openapi";
import { listTenantAgents } from "../../service/admin/manage-agents.ts";
import type { App, HttpDeps } from "../context.ts";
import { decodeCursor, toPage } from "../page.ts";
import { agent, errorResponses, json, needs, pageQuery } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents",
  operationId: "agentsList",
  tags: ["Agents"],
  summary: "List the tenant's agents by id",
  ...needs("agent:read"),
  request: { query: pageQuery },
  responses: {
    200: json(z.object({ agents: z.array(agent), nextCursor: z.string().optional() }), "One page"),
    ...errorResponses,
  },
});

/** GET a page of the tenant's agents. */
export function registerAgentsList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { cursor, limit } = c.req.valid("query");
    const rows = await listTenantAgents(service, c.get("caller"), { after: decodeCursor(cursor), limit: limit + 1 });
    const { page, next } = toPage(rows, limit, (row) => row.id);
    return c.json({ agents: page, ...next }, 200);
  });
}
