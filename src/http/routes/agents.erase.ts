import { createRoute } from "@hono/zod-openapi";
import { eraseAgent } from "../../service/admin/erase-agent.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs, receipt } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/agents/{agentId}",
  operationId: "agentsErase",
  tags: ["Agents"],
  summary: "Erase an agent: schema, role, cached embeddings, jobs, keys",
  ...needs("tenant"),
  request: { headers: onceHeaders, params: agentParam },
  responses: { 200: json(receipt, "The receipt, which is kept"), ...errorResponses },
});

/** DELETE, that is erase, an agent. */
export function registerAgentsErase(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await eraseAgent(service, await writerOf(c), c.req.valid("param").agentId), 200),
  );
}
