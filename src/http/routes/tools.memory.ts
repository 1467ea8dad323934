import { createRoute, z } from "@hono/zod-openapi";
import { runMemoryCommand } from "../../service/tools/run-memory-command.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, needs } from "../schemas.ts";

/** Not stricter: a command that is not as it should be is answered to the model, which sent it. */
const body = z.looseObject({
  command: z.string().openapi({ description: "view, create, str_replace, insert, delete or rename" }),
});
const answer = z.object({ content: z.string(), is_error: z.literal(true).optional() });

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/tools/memory",
  operationId: "anthropicMemory",
  tags: ["Tools"],
  summary: "Anthropic's memory tool (memory_20250818): a command, as the model sent it, on the agent's files",
  ...needs("agent:write"),
  request: { params: agentParam, body: { required: true, ...json(body, "The tool's input") } },
  responses: { 200: json(answer, "What goes into the tool_result"), ...errorResponses },
});

/** POST a command of Anthropic's memory tool. */
export function registerToolsMemory(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await runMemoryCommand(service, c.get("caller"), c.req.valid("param").agentId, c.req.valid("json")), 200),
  );
}
