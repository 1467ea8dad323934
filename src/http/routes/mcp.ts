import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openMemory } from "../../service/tools/memory-access.ts";
import type { AppEnv, HttpDeps } from "../context.ts";
import { explainTo } from "../render-error.ts";
import { routesOf } from "../route.ts";
import { json, jsonObject } from "../schemas.ts";

const answer = {
  description: "One JSON-RPC response, as JSON or as the only event of a stream",
  content: { "application/json": { schema: jsonObject }, "text/event-stream": { schema: z.string() } },
};
/**
 * The most JSON values of a message: a tool's input, at most a hundred, and the client's
 * description of itself.
 */
const MAX_MESSAGE_VALUES = 1_000;
/**
 * The answer about streams and sessions. A stateless server has none, and the protocol asks for
 * 405.
 */
const ABSENT = "Always 405: there is no stream and no session";

const route = routesOf("Tools");

/** The Model Context Protocol of one agent's memory. */
export const mcpRoutes = [
  // The route takes one message: the rate limit would count a batch of many requests as one.
  route("POST /v1/agents/{agentId}/mcp", {
    operationId: "mcpPost",
    summary: "The Model Context Protocol over streamable HTTP, stateless",
    description: "Takes one message a request; a batch is refused, because it would count as one request.",
    scope: "search",
    body: json(jsonObject, "A JSON-RPC message"),
    bodyValues: MAX_MESSAGE_VALUES,
    answer,
    handle:
      (deps) =>
      ({ c, params, body }) =>
        answerMessage(deps, c, params.agentId, body),
  }),
  route("GET /v1/agents/{agentId}/mcp", {
    operationId: "mcpGet",
    summary: ABSENT,
    scope: "search",
    answer,
    handle:
      (deps) =>
      ({ c, params }) =>
        answerMessage(deps, c, params.agentId),
  }),
  route("DELETE /v1/agents/{agentId}/mcp", {
    operationId: "mcpDelete",
    summary: ABSENT,
    scope: "search",
    answer,
    handle:
      (deps) =>
      ({ c, params }) =>
        answerMessage(deps, c, params.agentId),
  }),
];

async function answerMessage(
  { service, logger, answerMcp }: HttpDeps,
  c: Context<AppEnv>,
  agentId: string,
  body?: unknown,
) {
  const memory = await openMemory(service, c.get("caller"), agentId);
  return answerMcp({ request: c.req.raw, body, memory, explain: explainTo(c, logger) });
}
