import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type MemoryAccess, type MemoryChange, mayFollow, openMemory } from "../../service/tools/memory-access.ts";
import type { AppEnv, HttpDeps } from "../context.ts";
import { checkKey } from "../middleware/authentication.ts";
import { explainTo } from "../render-error.ts";
import { routesOf } from "../route.ts";
import { json, jsonObject, userQuery } from "../schemas.ts";
import { createChangeStreams } from "../streams/change-streams.ts";

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

/** A batch is refused by name. */
const oneMessage = z.record(z.string(), z.unknown(), { error: "must be one JSON-RPC message, not a batch" });

const route = routesOf("Tools");

/** The Model Context Protocol of one agent's memory. */
export const mcpRoutes = [
  // The route takes one message: the rate limit would count a batch of many requests as one.
  route("POST /v1/agents/{agentId}/mcp", {
    operationId: "mcpPost",
    summary: "The Model Context Protocol over streamable HTTP, stateless",
    description:
      "Takes one message a request; a batch is refused, because it would count as one request. With `user` the tools store " +
      "for this user, unless the call has a `scope` or replaces a fact of everybody.",
    scope: "search",
    query: z.object({ user: userQuery }),
    body: json(oneMessage, "A JSON-RPC message"),
    bodyValues: MAX_MESSAGE_VALUES,
    answer,
    handle: (deps) => {
      const openChanges = createChangeStreams(deps);
      return ({ c, caller, params: { agentId }, query: { user }, body }) => {
        const changes = (signal: AbortSignal) =>
          changedFrom(
            openChanges({
              caller,
              agentId,
              since: deps.service.clock(),
              cursor: undefined,
              checkKey: () => checkKey(c, deps),
              signal,
            }),
          );
        return answerMessage(deps, c, agentId, { body, user, changes: mayFollow(caller) ? changes : undefined });
      };
    },
  }),
  route("GET /v1/agents/{agentId}/mcp", {
    operationId: "mcpGet",
    summary: ABSENT,
    description:
      "The server keeps no session. A client subscribes to changes with the method `subscriptions/listen` of a POST.",
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
    description: "The server keeps no session, so there is none to end.",
    scope: "search",
    answer,
    handle:
      (deps) =>
      ({ c, params }) =>
        answerMessage(deps, c, params.agentId),
  }),
];

/** Yields the changes of a stream's pages. */
async function* changedFrom(
  opened: ReturnType<ReturnType<typeof createChangeStreams>>,
): AsyncGenerator<MemoryChange[]> {
  for await (const page of await opened) yield page.changes;
}

async function answerMessage(
  { service, logger, answerMcp }: HttpDeps,
  c: Context<AppEnv>,
  agentId: string,
  { body, user, changes }: { body?: unknown; user?: string | undefined; changes?: MemoryAccess["changes"] } = {},
) {
  const memory = { ...(await openMemory(service, c.get("caller"), agentId, user)), changes };
  return answerMcp({ request: c.req.raw, body, memory, explain: explainTo(c, logger) });
}
