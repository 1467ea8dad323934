import { createRoute } from "@hono/zod-openapi";
import { readBindings } from "../../service/admin/route-message.ts";
import type { App, HttpDeps } from "../context.ts";
import { bindingList, errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bindings",
  operationId: "bindingsGet",
  tags: ["Routing"],
  summary: "The tenant's routing rules, and those of the operator's files behind them",
  ...needs("agent:read"),
  responses: { 200: json(bindingList, "In their order"), ...errorResponses },
});

/** GET the tenant's bindings. */
export function registerBindingsGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { bindings, inherited } = await readBindings(service, c.get("caller"));
    return c.json({ bindings, inherited: [...inherited] }, 200);
  });
}
