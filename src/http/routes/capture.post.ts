import { createRoute } from "@hono/zod-openapi";
import { captureTurn } from "../../service/facts/capture-turn.ts";
import type { App, HttpDeps } from "../context.ts";
import { captured, captureInput } from "../fact-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/capture",
  operationId: "capture",
  tags: ["Facts"],
  summary: "Store what the user of a turn states about himself, his wishes and decisions",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(captureInput, "The turn's messages, in order") } },
  responses: { 200: json(captured, "What was found, and what became of it"), ...errorResponses },
});

/** POST a turn to capture facts from. */
export function registerCapture(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await captureTurn(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
