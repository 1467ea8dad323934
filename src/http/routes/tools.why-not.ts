import { createRoute, z } from "@hono/zod-openapi";
import { whyNot } from "../../service/search/why-not.ts";
import { memorySearchTool } from "../../service/tools/memory-tools.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const body = memorySearchTool.input
  .omit({ explain: true, includeText: true })
  .extend({ path: z.string().min(1).max(1024) });

const place = z.object({ rank: z.int().optional(), score: z.number().optional() });
const answer = z.object({
  path: z.string(),
  found: z.boolean(),
  indexed: z.boolean(),
  chunks: z.array(
    z.object({
      startLine: z.int(),
      endLine: z.int(),
      stage: z.enum(["shown", "joined", "limit", "duplicate", "floor", "candidates", "excluded"]),
      reason: z.string(),
      keyword: place.optional(),
      vector: place.optional(),
    }),
  ),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/why-not",
  operationId: "toolsWhyNot",
  tags: ["Tools"],
  summary: "Why a search does not show a file, session or fact",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(body, "The search, and what it should have shown") } },
  responses: { 200: json(answer, "At which stage each chunk was left"), ...errorResponses },
});

/** POST a search and a path, to learn at which stage its chunks were left. */
export function registerWhyNot(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await whyNot(service, c.get("caller"), c.req.valid("param").agentId, c.req.valid("json")), 200),
  );
}
