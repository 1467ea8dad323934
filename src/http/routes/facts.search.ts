import { createRoute, z } from "@hono/zod-openapi";
import { factHit, factSearch, searchMode } from "../../service/fact-schemas.ts";
import { searchFacts } from "../../service/search-facts.ts";
import { explanation, searchDebug } from "../../service/search-schemas.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const body = factSearch.extend({
  explain: z.boolean().optional().openapi({ description: "Each hit with what put it there, and both arms' lists" }),
});

const answer = z.object({
  facts: z.array(factHit.extend({ explain: explanation.optional() })),
  mode: searchMode,
  warning: z.string().optional(),
  debug: searchDebug.optional(),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/facts/search",
  summary: "Search an agent's facts",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(body, "What to look for") } },
  responses: { 200: json(answer, "Facts, best first"), ...errorResponses },
});

/** POST a search of an agent's facts. */
export function registerFactsSearch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await searchFacts(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
