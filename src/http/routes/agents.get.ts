import { createRoute } from "@hono/zod-openapi";
import { readAgent } from "../../service/admin/manage-agents.ts";
import type { App, HttpDeps } from "../context.ts";
import { agent, agentParam, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}",
  operationId: "agentsGet",
  tags: ["Agents"],
  summary: "One agent: its own settings, limits and usage",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: { 200: json(agent, "The agent"), ...errorResponses },
});

/** GET one agent. */
export function registerAgentsGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await readAgent(service, c.get("caller"), c.req.valid("param").agentId), 200));
}
