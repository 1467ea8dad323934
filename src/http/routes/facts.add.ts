import { createRoute, z } from "@hono/zod-openapi";
import { MAX_FACTS } from "../../service/facts/fact-schemas.ts";
import { addFacts } from "../../service/facts/store-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { factInput, storedFacts } from "../fact-schemas.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const body = z.strictObject({ facts: z.array(factInput).min(1).max(MAX_FACTS) });

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/facts",
  operationId: "factsAdd",
  tags: ["Facts"],
  summary: "Store facts, all or nothing",
  ...needs("agent:write"),
  request: { headers: onceHeaders, params: agentParam, body: { required: true, ...json(body, "At most 50 facts") } },
  responses: {
    200: json(storedFacts, "What became of each, in the order given"),
    ...errorResponses,
  },
});

/** POST facts of an agent. */
export function registerFactsAdd(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const facts = await addFacts(service, await writerOf(c), agentId, c.req.valid("json").facts);
    return c.json({ facts }, 200);
  });
}
