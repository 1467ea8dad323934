import { createRoute, z } from "@hono/zod-openapi";
import { forgetFact } from "../../service/facts/forget-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, factParam, json, needs } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/agents/{agentId}/facts/{factId}",
  operationId: "factsForget",
  tags: ["Facts"],
  summary: "Forget a fact for good, with every version before it",
  ...needs("agent:write"),
  request: { headers: onceHeaders, params: factParam },
  responses: { 200: json(z.object({ forgotten: z.array(z.string()) }), "Ids of what is gone"), ...errorResponses },
});

/** DELETE a fact of an agent. */
export function registerFactsForget(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, factId } = c.req.valid("param");
    return c.json({ forgotten: await forgetFact(service, await writerOf(c), agentId, factId) }, 200);
  });
}
