import { createRoute, z } from "@hono/zod-openapi";
import { listAgentSessions } from "../../service/sessions/read-sessions.ts";
import type { App, HttpDeps } from "../context.ts";
import { decodeCursor, toPage } from "../page.ts";
import { agentParam, errorResponses, json, needs, pageQuery } from "../schemas.ts";
import { sessionList } from "../session-schemas.ts";

const query = pageQuery.extend({ prefix: z.string().max(1024).default(""), cursor: z.string().max(2048).optional() });

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/sessions",
  operationId: "sessionsList",
  tags: ["Sessions"],
  summary: "List an agent's sessions in the order of their keys",
  ...needs("agent:read"),
  request: { params: agentParam, query },
  responses: {
    200: json(sessionList, "One page; pass `nextCursor` as `cursor` for the next"),
    ...errorResponses,
  },
});

/** GET a page of an agent's sessions. */
export function registerSessionsList(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    const { prefix, cursor, limit } = c.req.valid("query");
    const wanted = { prefix, after: decodeCursor(cursor), limit: limit + 1 };
    const rows = await listAgentSessions(service, c.get("caller"), agentId, wanted);
    const { page, next } = toPage(rows, limit, (row) => row.session);
    return c.json({ sessions: page, ...next }, 200);
  });
}
