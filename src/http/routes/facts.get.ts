import { createRoute } from "@hono/zod-openapi";
import { getFact } from "../../service/facts/read-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { fact } from "../fact-schemas.ts";
import { errorResponses, factParam, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/facts/{factId}",
  operationId: "factsGet",
  tags: ["Facts"],
  summary: "One fact, also one that is over",
  ...needs("agent:read"),
  request: { params: factParam },
  responses: { 200: json(fact, "The fact"), ...errorResponses },
});

/** GET a fact of an agent. */
export function registerFactsGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, factId } = c.req.valid("param");
    return c.json(await getFact(service, c.get("caller"), agentId, factId), 200);
  });
}
