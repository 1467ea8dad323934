import { createRoute, z } from "@hono/zod-openapi";
import { makeAgent } from "../../service/admin/manage-agents.ts";
import type { App, HttpDeps } from "../context.ts";
import { agent, errorResponses, json, jsonObject, name, needs } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const body = z.strictObject({
  id: z.string(),
  name: name.optional(),
  settings: jsonObject.optional(),
  limits: jsonObject.optional(),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents",
  operationId: "agentsCreate",
  tags: ["Agents"],
  summary: "Create an agent",
  ...needs("tenant"),
  request: { headers: onceHeaders, body: { required: true, ...json(body, "The agent") } },
  responses: { 201: json(agent, "It has a schema and a role of its own"), ...errorResponses },
});

/** POST a new agent. */
export function registerAgentsCreate(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await makeAgent(service, await writerOf(c), c.req.valid("json")), 201));
}
