import { createRoute, z } from "@hono/zod-openapi";
import { setBindings } from "../../service/admin/route-message.ts";
import type { App, HttpDeps } from "../context.ts";
import { binding, errorResponses, json, needs } from "../schemas.ts";

const body = z.strictObject({ bindings: z.array(z.unknown()).max(1000) });

const route = createRoute({
  method: "put",
  path: "/v1/bindings",
  operationId: "bindingsPut",
  tags: ["Routing"],
  summary: "Replace the tenant's routing rules",
  ...needs("tenant"),
  request: { body: { required: true, ...json(body, "Each: { agentId, match: { channel?, accountId?, peer? } }") } },
  responses: { 200: json(z.object({ bindings: z.array(binding) }), "As they are now"), ...errorResponses },
});

/** PUT the tenant's bindings. */
export function registerBindingsPut(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const bindings = await setBindings(service, c.get("caller"), c.req.valid("json").bindings);
    return c.json({ bindings }, 200);
  });
}
