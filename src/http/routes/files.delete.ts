import { createRoute, z } from "@hono/zod-openapi";
import { deleteFile } from "../../service/files/write-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, fileParam, json, needs } from "../schemas.ts";
import { conditionalHeaders, expectedOf, writerOf } from "../writer.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/agents/{agentId}/files/{path}{.+}",
  operationId: "filesDelete",
  tags: ["Files"],
  summary: "Delete one file",
  ...needs("agent:write"),
  request: { headers: conditionalHeaders, params: fileParam },
  responses: {
    200: json(z.object({ deleted: z.array(z.string()) }), "The file and its chunks are gone"),
    ...errorResponses,
  },
});

/** DELETE one file of an agent. */
export function registerFilesDelete(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, path } = c.req.valid("param");
    const gone = await deleteFile(service, await writerOf(c), agentId, path, expectedOf(c, path));
    return c.json({ deleted: [gone] }, 200);
  });
}
