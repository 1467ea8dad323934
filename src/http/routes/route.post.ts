import { createRoute, z } from "@hono/zod-openapi";
import { routeMessage } from "../../service/admin/route-message.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs } from "../schemas.ts";

const label = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");
const body = z.strictObject({
  channel: label.optional(),
  accountId: label.optional(),
  peer: z.strictObject({ kind: label, id: label }).optional(),
  context: label.optional(),
});

const answer = z.object({
  agentId: z.string(),
  matchedBy: z.enum(["peer", "account", "channel", "default"]),
  sessionKey: z.string(),
});

const route = createRoute({
  method: "post",
  path: "/v1/route",
  operationId: "routeMessage",
  tags: ["Routing"],
  summary: "Which agent a message goes to",
  ...needs("agent:read"),
  request: { body: { required: true, ...json(body, "Where the message came from") } },
  responses: { 200: json(answer, "The agent and the session's key"), ...errorResponses },
});

/** POST a message's origin; the answer is its agent. */
export function registerRoutePost(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await routeMessage(service, c.get("caller"), c.req.valid("json")), 200));
}
