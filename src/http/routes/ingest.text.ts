import { createRoute, z } from "@hono/zod-openapi";
import { ingestSent } from "../../service/facts/ingest-files.ts";
import { MAX_INGEST_CHARS } from "../../service/facts/ingest-text.ts";
import type { App, HttpDeps } from "../context.ts";
import { foundFact } from "../ingest-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const body = z.strictObject({
  path: z.string().min(1).max(1024),
  content: z.string().max(MAX_INGEST_CHARS),
  from: z.int().min(0).max(MAX_INGEST_CHARS).optional().openapi({ description: "`next` of the answer before" }),
  dryRun: z.boolean().optional(),
});

const answer = z.object({
  pieces: z.int(),
  next: z.int().optional(),
  known: z.int(),
  asked: z.int(),
  refused: z.int(),
  stored: z.int(),
  duplicates: z.int(),
  dropped: z.int(),
  facts: z.array(foundFact),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/ingest/text",
  operationId: "ingestText",
  tags: ["Facts"],
  summary: "Turn a text into facts, by a chat model, without keeping it",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(body, "A file of a workspace") } },
  responses: { 200: json(answer, "What it came to; `next` where there is more to do"), ...errorResponses },
});

/** POST a text to take facts from. */
export function registerIngestText(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await ingestSent(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
