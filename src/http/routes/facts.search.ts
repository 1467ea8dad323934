import { createRoute } from "@hono/zod-openapi";
import { searchFacts } from "../../service/search/search-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { factSearch, foundFacts } from "../fact-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/facts/search",
  operationId: "factsSearch",
  tags: ["Facts"],
  summary: "Search an agent's facts",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(factSearch, "What to look for") } },
  responses: { 200: json(foundFacts, "Facts, best first"), ...errorResponses },
});

/** POST a search of an agent's facts. */
export function registerFactsSearch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await searchFacts(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
