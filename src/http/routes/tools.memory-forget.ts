import { createRoute, z } from "@hono/zod-openapi";
import { memoryForget } from "../../service/fact-tools.ts";
import type { App, HttpDeps } from "../context.ts";
import { factHit, factId, factSearch, MAX_FORGET } from "../fact-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const body = z.union([
  z.strictObject({ ids: z.array(factId).min(1).max(MAX_FORGET) }),
  factSearch.pick({ query: true, maxResults: true, scope: true }),
]);

const answer = z.object({ facts: z.array(factHit), forgotten: z.array(z.string()) });

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/tools/memory_forget",
  summary: "Forget facts by their ids; a query finds candidates and forgets nothing",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(body, "Ids, or a query") } },
  responses: { 200: json(answer, "Candidates of a query, or ids of what is gone"), ...errorResponses },
});

/** POST the tool `memory_forget`. */
export function registerMemoryForget(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await memoryForget(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
