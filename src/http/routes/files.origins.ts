import { createRoute } from "@hono/zod-openapi";
import { originList } from "../../service/core/schemas.ts";
import { listFileOrigins } from "../../service/files/read-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, named, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/origins",
  operationId: "filesOrigins",
  tags: ["Files"],
  summary: "List the folders that an agent's files are synced from",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: {
    200: json(named(originList, "OriginList"), "At most 1,000, those with most files first"),
    ...errorResponses,
  },
});

/** GET the origins of an agent's files. */
export function registerFilesOrigins(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await listFileOrigins(service, c.get("caller"), agentId), 200);
  });
}
