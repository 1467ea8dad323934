import { createRoute } from "@hono/zod-openapi";
import { getFactHistory } from "../../service/facts/read-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { facts } from "../fact-schemas.ts";
import { errorResponses, factParam, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/facts/{factId}/history",
  operationId: "factsHistory",
  tags: ["Facts"],
  summary: "Every version of a fact, oldest first",
  ...needs("agent:read"),
  request: { params: factParam },
  responses: { 200: json(facts, "At most the last 1,000"), ...errorResponses },
});

/** GET what a fact took the place of, and what has taken its place. */
export function registerFactsHistory(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, factId } = c.req.valid("param");
    return c.json({ facts: await getFactHistory(service, c.get("caller"), agentId, factId) }, 200);
  });
}
