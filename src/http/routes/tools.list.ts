import { createRoute, z } from "@hono/zod-openapi";
import { formatOfferedTools } from "../../service/tools/offer-tools.ts";
import { TOOL_FORMATS } from "../../service/tools/tool-formats.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, jsonObject, needs } from "../schemas.ts";

const format = z.enum(TOOL_FORMATS);
const query = z.strictObject({ format: format.default("openai") });
const answer = z.object({ format, tools: z.array(jsonObject), prompt: z.string() });

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/tools",
  operationId: "toolsList",
  tags: ["Tools"],
  summary: "The tools to give the agent's model, and the prompt section about them",
  ...needs("search"),
  request: { params: agentParam, query },
  responses: {
    200: json(answer, "What the key may call, in the form of that API; nothing while the agent's memory is off"),
    ...errorResponses,
  },
});

/** GET the definitions of an agent's tools. */
export function registerToolsList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const { tools, ...rest } = await formatOfferedTools(service, c.get("caller"), agentId, c.req.valid("query").format);
    return c.json({ ...rest, tools: tools as Record<string, unknown>[] }, 200);
  });
}
