import { createRoute, z } from "@hono/zod-openapi";
import { addFacts } from "../../service/store-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { factInput, storedFact } from "../fact-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/tools/memory_store",
  summary: "Remember one statement",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(factInput, "The statement") } },
  responses: { 200: json(z.object({ facts: z.array(storedFact) }), "What became of it"), ...errorResponses },
});

/** POST the tool `memory_store`. */
export function registerMemoryStore(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json({ facts: await addFacts(service, c.get("caller"), agentId, [c.req.valid("json")]) }, 200);
  });
}
