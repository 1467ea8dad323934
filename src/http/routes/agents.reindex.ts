import { createRoute, z } from "@hono/zod-openapi";
import { startReindex } from "../../service/index/manage-reindex.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs, reindex } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/reindex",
  operationId: "agentsReindex",
  tags: ["Index"],
  summary: "Bring an agent's index to its settings, beside the one in use",
  ...needs("tenant"),
  request: { params: agentParam, body: { required: true, ...json(z.strictObject({}), "Nothing") } },
  responses: { 202: json(reindex, "It is under way in the background; see the agent's status"), ...errorResponses },
});

/** POST the wish that an agent be reindexed. */
export function registerAgentsReindex(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await startReindex(service, c.get("caller"), c.req.valid("param").agentId), 202),
  );
}
