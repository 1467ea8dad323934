import { createRoute } from "@hono/zod-openapi";
import { deleteSession } from "../../service/sessions/read-sessions.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, sessionParam } from "../schemas.ts";
import { deletedSession } from "../session-schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/agents/{agentId}/sessions/{session}",
  operationId: "sessionsDelete",
  tags: ["Sessions"],
  summary: "Delete a session with its messages",
  ...needs("agent:write"),
  request: { headers: onceHeaders, params: sessionParam },
  responses: {
    200: json(deletedSession, "How much is gone"),
    ...errorResponses,
  },
});

/** DELETE one session of an agent. */
export function registerSessionsDelete(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, session } = c.req.valid("param");
    return c.json(await deleteSession(service, await writerOf(c), agentId, session), 200);
  });
}
