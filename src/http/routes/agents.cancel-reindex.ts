import { createRoute } from "@hono/zod-openapi";
import { cancelReindex } from "../../service/index/manage-reindex.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs, reindex } from "../schemas.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/agents/{agentId}/reindex",
  operationId: "agentsCancelReindex",
  tags: ["Index"],
  summary: "Give up the index that is being built; the one in use stays",
  ...needs("tenant"),
  request: { params: agentParam },
  responses: { 200: json(reindex, "It is gone"), ...errorResponses },
});

/** DELETE the index that is being built. */
export function registerAgentsCancelReindex(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await cancelReindex(service, c.get("caller"), c.req.valid("param").agentId), 200),
  );
}
