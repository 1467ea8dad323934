import { createRoute, z } from "@hono/zod-openapi";
import { memoryRecall } from "../../service/fact-tools.ts";
import type { App, HttpDeps } from "../context.ts";
import { factHit, factSearch, searchMode } from "../fact-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const answer = z.object({ facts: z.array(factHit), mode: searchMode, warning: z.string().optional() });
const unavailable = z.object({
  facts: z.array(factHit).max(0),
  disabled: z.literal(true),
  unavailable: z.literal(true),
  error: z.string(),
  warning: z.string(),
  action: z.string(),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/tools/memory_recall",
  summary: "Search what an agent was told to remember",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(factSearch, "What to look for") } },
  responses: { 200: json(z.union([answer, unavailable]), "Facts, best first"), ...errorResponses },
});

/** POST the tool `memory_recall`. */
export function registerMemoryRecall(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await memoryRecall(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
