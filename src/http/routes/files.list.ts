import { createRoute, z } from "@hono/zod-openapi";
import { originName } from "../../service/core/schemas.ts";
import { listAgentFiles } from "../../service/files/read-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, filePage, json, needs } from "../schemas.ts";

const query = z.strictObject({
  prefix: z.string().max(1024).optional(),
  origin: originName.optional(),
  cursor: z.string().max(2048).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/files",
  operationId: "filesList",
  tags: ["Files"],
  summary: "List an agent's files in path order",
  ...needs("agent:read"),
  request: { params: agentParam, query },
  responses: { 200: json(filePage, "One page; pass `nextCursor` as `cursor` for the next"), ...errorResponses },
});

/** GET a page of an agent's files. */
export function registerFilesList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await listAgentFiles(service, c.get("caller"), agentId, c.req.valid("query")), 200);
  });
}
