import { createRoute, z } from "@hono/zod-openapi";
import { readSettings } from "../../service/admin/manage-agents.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, jsonObject, needs } from "../schemas.ts";

const answer = z.object({
  settings: jsonObject,
  origins: z.record(z.string(), z.string()),
  own: jsonObject,
});

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/settings",
  operationId: "agentsSettings",
  tags: ["Agents"],
  summary: "The settings in effect, and where each value comes from",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: { 200: json(answer, "By dotted path: default, user, workspace, tenant or agent"), ...errorResponses },
});

/** GET an agent's effective settings. */
export function registerAgentsSettings(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { settings, origins, own } = await readSettings(service, c.get("caller"), c.req.valid("param").agentId);
    return c.json({ settings: { ...settings }, origins, own: { ...own } }, 200);
  });
}
