import { createRoute, z } from "@hono/zod-openapi";
import { readErasure } from "../../service/admin/erase-agent.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, receipt } from "../schemas.ts";

const params = z.object({ receiptId: z.uuid().openapi({ param: { in: "path", name: "receiptId" } }) });

const route = createRoute({
  method: "get",
  path: "/v1/erasures/{receiptId}",
  operationId: "erasuresGet",
  tags: ["Administration"],
  summary: "One receipt, with the hashes of the erased paths",
  ...needs("tenant"),
  request: { params },
  responses: { 200: json(receipt, "The receipt"), ...errorResponses },
});

/** GET one erasure receipt. */
export function registerErasuresGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await readErasure(service, c.get("caller"), c.req.valid("param").receiptId), 200),
  );
}
