import { createRoute, z } from "@hono/zod-openapi";
import { deleteSession } from "../../service/read-sessions.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, sessionParam } from "../schemas.ts";

const route = createRoute({
  method: "delete",
  path: "/v1/agents/{agentId}/sessions/{session}",
  summary: "Delete a session with its messages",
  ...needs("agent:write"),
  request: { params: sessionParam },
  responses: {
    200: json(z.object({ session: z.string(), messages: z.int(), chunks: z.int() }), "How much is gone"),
    ...errorResponses,
  },
});

/** DELETE one session of an agent. */
export function registerSessionsDelete(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, session } = c.req.valid("param");
    return c.json(await deleteSession(service, c.get("caller"), agentId, session), 200);
  });
}
