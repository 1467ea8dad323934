import { createRoute, z } from "@hono/zod-openapi";
import { startIngest } from "../../service/facts/ingest-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { ingestStatus } from "../ingest-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const body = z.strictObject({
  paths: z
    .array(z.string().min(1).max(256))
    .min(1)
    .max(20)
    .optional()
    .openapi({ description: "Globs; absent: facts.ingest.paths of the settings" }),
  dryRun: z.boolean().optional(),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/ingest",
  operationId: "ingestStart",
  tags: ["Facts"],
  summary: "Turn an agent's files that match into facts, by a chat model",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(body, "Which files") } },
  responses: { 202: json(ingestStatus, "It is under way in the background; GET says how far"), ...errorResponses },
});

/** POST the wish that files become facts. */
export function registerIngestPost(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await startIngest(service, c.get("caller"), agentId, c.req.valid("json")), 202);
  });
}
