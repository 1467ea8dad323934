import { createRoute } from "@hono/zod-openapi";
import { readIngest } from "../../service/facts/ingest-files.ts";
import type { App, HttpDeps } from "../context.ts";
import { ingestStatus } from "../ingest-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/ingest",
  operationId: "ingestGet",
  tags: ["Facts"],
  summary: "How far the last ingest of files is, and what it has come to",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: { 200: json(ingestStatus, "The run under way, or the last"), ...errorResponses },
});

/** GET the state of an agent's ingest. */
export function registerIngestGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await readIngest(service, c.get("caller"), c.req.valid("param").agentId), 200),
  );
}
