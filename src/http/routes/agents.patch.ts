import { createRoute, z } from "@hono/zod-openapi";
import { changeAgent } from "../../service/admin/manage-agents.ts";
import type { App, HttpDeps } from "../context.ts";
import { agent, agentParam, errorResponses, json, jsonObject, name, needs } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const body = z
  .strictObject({
    name: name.optional(),
    disabled: z.boolean().optional(),
    settings: jsonObject.optional(),
    limits: jsonObject.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, "must change something");

const route = createRoute({
  method: "patch",
  path: "/v1/agents/{agentId}",
  operationId: "agentsPatch",
  tags: ["Agents"],
  summary: "Change an agent's name, settings or limits; disable or enable it",
  ...needs("tenant"),
  request: {
    headers: onceHeaders,
    params: agentParam,
    body: { required: true, ...json(body, "settings and limits are JSON merge patches") },
  },
  responses: { 200: json(agent, "As it is now"), ...errorResponses },
});

/** PATCH one agent. */
export function registerAgentsPatch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await changeAgent(service, await writerOf(c), agentId, c.req.valid("json")), 200);
  });
}
