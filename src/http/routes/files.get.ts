import { createRoute } from "@hono/zod-openapi";
import { getFile } from "../../service/files/read-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, file, fileParam, json, needs } from "../schemas.ts";
import { etagOf } from "../writer.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/files/{path}{.+}",
  operationId: "filesGet",
  tags: ["Files"],
  summary: "Read one whole file",
  ...needs("agent:read"),
  request: { params: fileParam },
  responses: {
    200: json(file, "The file as it was written"),
    ...errorResponses,
  },
});

/** GET one file of an agent. */
export function registerFilesGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, path } = c.req.valid("param");
    const found = await getFile(service, c.get("caller"), agentId, path);
    return c.json(found, 200, { ETag: etagOf(found.hash) });
  });
}
