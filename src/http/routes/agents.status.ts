import { createRoute } from "@hono/zod-openapi";
import { agentStatus } from "../../service/admin/agent-status.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, agentStatusBody, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/status",
  operationId: "agentsStatus",
  tags: ["Index"],
  summary: "What an agent's memory is made of, and what is under way",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: { 200: json(agentStatusBody, "The status"), ...errorResponses },
});

/** GET an agent's status. */
export function registerAgentsStatus(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await agentStatus(service, c.get("caller"), agentId), 200);
  });
}
