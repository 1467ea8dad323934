import { createRoute } from "@hono/zod-openapi";
import { writeFiles } from "../../service/files/write-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, fileBody, fileParam, json, needs, writtenFile } from "../schemas.ts";
import { conditionalHeaders, etagOf, expectedOf, writerOf } from "../writer.ts";

const route = createRoute({
  method: "put",
  path: "/v1/agents/{agentId}/files/{path}{.+}",
  operationId: "filesPut",
  tags: ["Files"],
  summary: "Write one file",
  ...needs("agent:write"),
  request: { headers: conditionalHeaders, params: fileParam, body: { required: true, ...json(fileBody, "The file") } },
  responses: { 200: json(writtenFile, "Durable, and found by keyword from now on"), ...errorResponses },
});

/** PUT one file of an agent. */
export function registerFilesPut(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, path } = c.req.valid("param");
    const { content, mtime } = c.req.valid("json");
    const batch = { put: [{ path, content, mtime }], delete: [], expected: expectedOf(c, path) };
    const { files } = await writeFiles(service, await writerOf(c), agentId, batch);
    const file = files[0] as NonNullable<(typeof files)[0]>;
    return c.json(file, 200, { ETag: etagOf(file.hash) });
  });
}
