import { z } from "@hono/zod-openapi";
import { decodeCursor, pageOf } from "../../base/page-cursor.ts";
import { appendMessages } from "../../service/sessions/append-messages.ts";
import { deleteSession, getSession, listAgentSessions } from "../../service/sessions/read-sessions.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery, readerOf, scopeQuery } from "../schemas.ts";
import {
  appendedMessages,
  appendInput,
  deletedSession,
  MAX_APPEND_VALUES,
  session,
  sessionList,
} from "../session-schemas.ts";
import { onceHeaders } from "../write-headers.ts";

const listQuery = pageQuery.extend({
  prefix: z.string().max(1024).default("").openapi({ description: "Only keys that begin with this text" }),
  ...scopeQuery,
  cursor: z.string().max(2048).optional(),
});

const messagesQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_147_483_646)
    .default(0)
    .openapi({ type: "integer", description: "Only messages after this number" }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  ...scopeQuery,
});

const deleteQuery = z.strictObject({
  facts: z.stringbool().default(false).openapi({
    type: "boolean",
    description: "Also delete the facts that come from the session, at most 5,000, for good",
  }),
});

const route = routesOf("Sessions");

export const sessionRoutes = [
  route("GET /v1/agents/{agentId}/sessions", {
    operationId: "sessionsList",
    summary: "List an agent's sessions in the order of their keys",
    description: "`user`, `agent` and `session` list only sessions whose scope has these parts.",
    scope: "agent:read",
    query: listQuery,
    answer: json(sessionList, "One page; pass `nextCursor` as `cursor` for the next"),
    run: async (deps, caller, { params, query: { prefix, cursor, limit, ...scope } }) => {
      const wanted = { prefix, after: decodeCursor(cursor), limit: limit + 1, scope };
      const rows = await listAgentSessions(deps, caller, params.agentId, wanted);
      const { page, next } = pageOf(rows, limit, (row) => row.session);
      return { sessions: page, ...next };
    },
  }),
  route("GET /v1/agents/{agentId}/sessions/{session}", {
    operationId: "sessionsGet",
    summary: "A session with a page of its messages",
    description: "With `user`, `agent` or `session`, a session that this scope does not see counts as missing.",
    scope: "agent:read",
    query: messagesQuery,
    answer: json(session, "Pass `nextAfter` as `after` for the next page"),
    run: (deps, caller, { params, query: { after, limit, ...scope } }) =>
      getSession(deps, caller, params.agentId, params.session, { after, limit, reader: readerOf(scope) }),
  }),
  route("POST /v1/agents/{agentId}/sessions/{session}/messages", {
    operationId: "sessionsAppend",
    summary: "Append messages to a session and capture the user's statements, all or nothing",
    description:
      "The first message creates the session, and the first `scope` fixes the session's scope; another one is " +
      "`scope_conflict` (409). Messages are accepted in the formats of OpenAI, Anthropic, Gemini and Vercel's AI SDK.",
    scope: "agent:write",
    headers: onceHeaders,
    body: json(appendInput, "At most 500 messages"),
    bodyValues: MAX_APPEND_VALUES,
    answer: json(appendedMessages, "Durable, and found by the next search if `indexing` is `done`"),
    run: (deps, caller, { params, body }) => appendMessages(deps, caller, params.agentId, params.session, body),
  }),
  route("DELETE /v1/agents/{agentId}/sessions/{session}", {
    operationId: "sessionsDelete",
    summary: "Delete a session with its messages",
    description:
      "Its chunks go too. `facts` in the answer says how many facts came from it, and `facts=true` in the query deletes them with it.",
    scope: "agent:write",
    headers: onceHeaders,
    query: deleteQuery,
    answer: json(deletedSession, "The counts of what was deleted"),
    run: (deps, caller, { params, query }) => deleteSession(deps, caller, params.agentId, params.session, query),
  }),
];
