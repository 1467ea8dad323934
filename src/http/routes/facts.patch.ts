import { createRoute, z } from "@hono/zod-openapi";
import { factChange, storedFact } from "../../service/fact-schemas.ts";
import { updateFact } from "../../service/update-fact.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, factParam, json, needs } from "../schemas.ts";

const changed = storedFact.extend({ status: z.enum(["updated", "stored", "duplicate"]) }).openapi("ChangedFact");

const route = createRoute({
  method: "patch",
  path: "/v1/agents/{agentId}/facts/{factId}",
  summary: "Change a fact; another text makes a new version with an id of its own",
  ...needs("agent:write"),
  request: { params: factParam, body: { required: true, ...json(factChange, "What to change") } },
  responses: { 200: json(changed, "`id` is that of the fact that holds now"), ...errorResponses },
});

/** PATCH a fact of an agent. */
export function registerFactsPatch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, factId } = c.req.valid("param");
    return c.json(await updateFact(service, c.get("caller"), agentId, factId, c.req.valid("json")), 200);
  });
}
