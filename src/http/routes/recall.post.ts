import { createRoute } from "@hono/zod-openapi";
import { recallMemory } from "../../service/search/recall-memory.ts";
import type { App, HttpDeps } from "../context.ts";
import { recalled, recallInput } from "../fact-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/recall",
  operationId: "recall",
  tags: ["Facts"],
  summary: "The facts that bear on a user's message, and a block of text with them for the prompt",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(recallInput, "The message") } },
  responses: { 200: json(recalled, "Facts, best first, and passages of conversations and files"), ...errorResponses },
});

/** POST a user's message to recall facts by. */
export function registerRecall(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await recallMemory(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
