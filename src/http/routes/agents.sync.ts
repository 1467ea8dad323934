import { createRoute, z } from "@hono/zod-openapi";
import { requestSync } from "../../service/agent/request-jobs.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/sync",
  operationId: "agentsSync",
  tags: ["Index"],
  summary: "Index what an agent's memory has not indexed yet: sessions, and folders of this server",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(z.strictObject({}), "Nothing") } },
  responses: {
    202: json(z.object({ queued: z.literal(true) }), "It is under way in the background; see the agent's status"),
    ...errorResponses,
  },
});

/** POST the wish that an agent's memory be synced now. */
export function registerAgentsSync(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    await requestSync(service, c.get("caller"), c.req.valid("param").agentId);
    return c.json({ queued: true as const }, 202);
  });
}
