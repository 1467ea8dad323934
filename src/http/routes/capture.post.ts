import { createRoute, z } from "@hono/zod-openapi";
import { captureTurn } from "../../service/capture-turn.ts";
import { factCategory, factScope } from "../../service/fact-schemas.ts";
import { instant } from "../../service/instant.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, MAX_MESSAGE_CHARS, messageRole, needs } from "../schemas.ts";

/** Most messages of one turn. */
const MAX_TURN_MESSAGES = 50;

const body = z.strictObject({
  messages: z
    .array(
      z.strictObject({
        role: messageRole,
        text: z.string().max(MAX_MESSAGE_CHARS),
        at: instant.optional().openapi({ description: "When it was said, so that the same turn may be sent again" }),
      }),
    )
    .min(1)
    .max(MAX_TURN_MESSAGES),
  scope: factScope.optional().openapi({ description: "Who speaks, and where; absent: the facts are everybody's" }),
  session: z.string().min(1).max(1024).optional(),
  dryRun: z.boolean().optional(),
});

const answer = z.object({
  facts: z.array(
    z.object({
      id: z.string().optional(),
      status: z.enum(["stored", "duplicate"]).optional(),
      text: z.string(),
      category: factCategory,
      key: z.string().optional(),
      trigger: z.string(),
      superseded: z.array(z.string()),
    }),
  ),
  stored: z.int(),
  duplicates: z.int(),
  superseded: z.int(),
  warnings: z.array(z.string()),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/capture",
  summary: "Store what the user of a turn states about himself, his wishes and decisions",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(body, "The turn's messages, in order") } },
  responses: { 200: json(answer, "What was found, and what became of it"), ...errorResponses },
});

/** POST a turn to capture facts from. */
export function registerCapture(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await captureTurn(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
