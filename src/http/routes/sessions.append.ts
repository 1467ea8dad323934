import { createRoute } from "@hono/zod-openapi";
import { appendMessages } from "../../service/sessions/append-messages.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, sessionParam } from "../schemas.ts";
import { appendedMessages, appendInput } from "../session-schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/sessions/{session}/messages",
  operationId: "sessionsAppend",
  tags: ["Sessions"],
  summary: "Append messages to a session, all or nothing, with what the user states in them",
  ...needs("agent:write"),
  request: {
    headers: onceHeaders,
    params: sessionParam,
    body: { required: true, ...json(appendInput, "At most 500 messages") },
  },
  responses: {
    200: json(appendedMessages, "Durable, and found by the next search when `indexing` is `done`"),
    ...errorResponses,
  },
});

/** POST messages of a session. */
export function registerSessionsAppend(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, session } = c.req.valid("param");
    return c.json(await appendMessages(service, await writerOf(c), agentId, session, c.req.valid("json")), 200);
  });
}
