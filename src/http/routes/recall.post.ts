import { createRoute, z } from "@hono/zod-openapi";
import { fact, factScope, searchMode } from "../../service/fact-schemas.ts";
import { recallFacts } from "../../service/recall-facts.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, MAX_MESSAGE_CHARS, needs } from "../schemas.ts";

const body = z.strictObject({
  message: z
    .string()
    .max(MAX_MESSAGE_CHARS)
    .refine((text) => text.trim() !== "", "must not be empty"),
  scope: factScope.optional().openapi({ description: "Who speaks, and where; facts of others are never recalled" }),
  maxFacts: z.int().min(1).max(50).optional(),
  maxDistance: z.number().min(0).max(2).optional(),
  maxChars: z.int().min(200).max(100_000).optional(),
});

const answer = z.object({
  facts: z.array(fact.extend({ score: z.number(), distance: z.number().optional() })),
  block: z.string(),
  shown: z.int(),
  mode: searchMode,
  warning: z.string().optional(),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/recall",
  summary: "The facts that bear on a user's message, and a block of text with them for the prompt",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(body, "The message") } },
  responses: { 200: json(answer, "Facts, best first"), ...errorResponses },
});

/** POST a user's message to recall facts by. */
export function registerRecall(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await recallFacts(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
