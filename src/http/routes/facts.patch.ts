import { createRoute } from "@hono/zod-openapi";
import { updateFact } from "../../service/facts/update-fact.ts";
import type { App, HttpDeps } from "../context.ts";
import { changedFact, factChange } from "../fact-schemas.ts";
import { errorResponses, factParam, json, needs } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const route = createRoute({
  method: "patch",
  path: "/v1/agents/{agentId}/facts/{factId}",
  operationId: "factsPatch",
  tags: ["Facts"],
  summary: "Change a fact; another text makes a new version with an id of its own",
  ...needs("agent:write"),
  request: { headers: onceHeaders, params: factParam, body: { required: true, ...json(factChange, "What to change") } },
  responses: { 200: json(changedFact, "`id` is that of the fact that holds now"), ...errorResponses },
});

/** PATCH a fact of an agent. */
export function registerFactsPatch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, factId } = c.req.valid("param");
    return c.json(await updateFact(service, await writerOf(c), agentId, factId, c.req.valid("json")), 200);
  });
}
