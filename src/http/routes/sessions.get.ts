import { createRoute, z } from "@hono/zod-openapi";
import { getSession } from "../../service/sessions/read-sessions.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, sessionParam } from "../schemas.ts";
import { session } from "../session-schemas.ts";

const query = z.strictObject({
  /** Messages after this number. */
  after: z.coerce.number().int().min(0).max(2_147_483_646).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/sessions/{session}",
  operationId: "sessionsGet",
  tags: ["Sessions"],
  summary: "A session with a page of its messages",
  ...needs("agent:read"),
  request: { params: sessionParam, query },
  responses: { 200: json(session, "Pass `nextAfter` as `after` for the next page"), ...errorResponses },
});

/** GET a session of an agent. */
export function registerSessionsGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, session: key } = c.req.valid("param");
    const wanted = c.req.valid("query");
    return c.json(await getSession(service, c.get("caller"), agentId, key, wanted), 200);
  });
}
