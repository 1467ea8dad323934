import { createRoute } from "@hono/zod-openapi";
import { AppError } from "../../base/errors.ts";
import { writeFiles } from "../../service/files/write-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, filesInput, json, MAX_BATCH, needs, writtenFiles } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/files",
  operationId: "filesBatch",
  tags: ["Files"],
  summary: "Write and delete files, all or nothing",
  ...needs("agent:write"),
  request: {
    headers: onceHeaders,
    params: agentParam,
    body: { required: true, ...json(filesInput, "At most 100 files in all") },
  },
  responses: {
    200: json(writtenFiles, "All of it is durable"),
    ...errorResponses,
  },
});

/** POST a batch of an agent's files. */
export function registerFilesBatch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const { origin, takeOver, ...batch } = c.req.valid("json");
    const entries = batch.put.length + batch.delete.length;
    if (entries === 0) throw new AppError("invalid_request", "The batch is empty; put or delete at least one file.");
    if (entries > MAX_BATCH)
      throw new AppError("invalid_request", `A batch has at most ${MAX_BATCH} files; send the rest in another.`);
    if (takeOver && origin === undefined)
      throw new AppError("invalid_request", "takeOver needs the origin whose the files become.");
    const claim = origin === undefined ? undefined : { origin, takeOver };
    return c.json(await writeFiles(service, await writerOf(c), agentId, { ...batch, claim }), 200);
  });
}
