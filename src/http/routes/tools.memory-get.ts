import { createRoute, z } from "@hono/zod-openapi";
import { getMemory } from "../../service/get-memory.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

const body = z.strictObject({
  path: z.string(),
  from: z.int().min(1).optional(),
  lines: z.int().min(1).optional(),
});

const text = z.object({
  text: z.string(),
  path: z.string(),
  from: z.int(),
  lines: z.int(),
  truncated: z.literal(true).optional(),
  nextFrom: z.int().optional(),
});
const notFound = z.object({ status: z.literal("not_found"), text: z.literal(""), path: z.string() });

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/tools/memory_get",
  summary: "Read some lines of a file",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(body, "Which lines") } },
  responses: { 200: json(z.union([text, notFound]), "The lines, or `not_found`"), ...errorResponses },
});

/** POST the tool `memory_get`. */
export function registerMemoryGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await getMemory(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
