import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openMemory } from "../../service/tools/memory-access.ts";
import type { App, AppEnv, HttpDeps } from "../context.ts";
import { knownError } from "../render-error.ts";
import { agentParam, errorResponses, json, jsonObject, needs } from "../schemas.ts";

const path = "/v1/agents/{agentId}/mcp";
const responses = {
  200: {
    description: "One JSON-RPC response, as JSON or as the only event of a stream",
    content: { "application/json": { schema: jsonObject }, "text/event-stream": { schema: z.string() } },
  },
  ...errorResponses,
};
/** One message: a batch would be many requests that the rate limit counts as one. */
const postRoute = createRoute({
  method: "post",
  path,
  operationId: "mcpPost",
  tags: ["Tools"],
  summary: "The Model Context Protocol over streamable HTTP, stateless",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(jsonObject, "A JSON-RPC message") } },
  responses,
});
/** Streams and sessions of the protocol, which a stateless server does not have; the protocol asks for 405. */
const bodilessRoutes = (["get", "delete"] as const).map((method) =>
  createRoute({
    method,
    path,
    operationId: method === "get" ? "mcpGet" : "mcpDelete",
    tags: ["Tools"],
    summary: "Always 405: there is no stream and no session",
    ...needs("search"),
    request: { params: agentParam },
    responses,
  }),
);

/** The Model Context Protocol of one agent's memory. */
export function registerAgentsMcp(app: App, deps: HttpDeps): void {
  app.openapi(postRoute, (c) => answer(deps, c, c.req.valid("param").agentId, c.req.valid("json")));
  for (const route of bodilessRoutes)
    app.openapi(route, (c) => answer(deps, c, c.req.valid("param").agentId, undefined));
}

async function answer({ service, logger, answerMcp }: HttpDeps, c: Context<AppEnv>, agentId: string, body: unknown) {
  const memory = await openMemory(service, c.get("caller"), agentId);
  const requestId = c.get("requestId");
  return answerMcp({
    request: c.req.raw,
    body,
    memory,
    explain: (error) => {
      const { code, message } = knownError(error, requestId, logger);
      return { code, text: `${message} (${code}${code === "internal" ? `, request ${requestId}` : ""})` };
    },
  });
}
