import { z } from "@hono/zod-openapi";
import { decodeCursor, pageOf } from "../../base/page-cursor.ts";
import { timestamp } from "../../service/core/scalar-schemas.ts";
import { appendMessages } from "../../service/sessions/append-messages.ts";
import { listAgentSessions, listRecentSessions, MAX_WITH_DETAILS } from "../../service/sessions/list-sessions.ts";
import { deleteSession, getSession } from "../../service/sessions/read-sessions.ts";
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

const recentOnly = (description: string) => ({ description: `With \`order=recent\`: ${description}` });

const listQuery = pageQuery
  .extend({
    prefix: z.string().max(1024).default("").openapi({ description: "Only keys that begin with this text" }),
    ...scopeQuery,
    cursor: z.string().max(2048).optional(),
    order: z.enum(["key", "recent"]).default("key").openapi({
      description: "`recent`: the session with the latest message first",
    }),
    details: z.stringbool().default(false).openapi({
      type: "boolean",
      description:
        "Also `details`: who speaks, the first and the last words, and the number of facts; at most 100 a page",
    }),
    q: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .openapi(
        recentOnly(
          "only sessions with this text in their key or in one of their last 100 messages; case does not matter",
        ),
      ),
    person: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .openapi(recentOnly("only sessions for this user, or in which somebody of this name has spoken")),
    channel: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .openapi(recentOnly("only keys whose first part is this, such as `slack`")),
    since: timestamp.optional().openapi(recentOnly("only sessions whose last message is of this time or later")),
    until: timestamp.optional().openapi(recentOnly("only sessions whose last message is of this time or earlier")),
  })
  .refine(
    ({ order, q, person, channel, since, until }) =>
      order === "recent" || [q, person, channel, since, until].every((value) => value === undefined),
    "q, person, channel, since and until need order=recent",
  );

const messagesQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_147_483_646)
    .default(0)
    .openapi({ type: "integer", description: "Only messages after this number" }),
  before: z.coerce.number().int().min(1).max(2_147_483_647).optional().openapi({
    type: "integer",
    description:
      "Returns the last messages before this number and ignores `after`; 2147483647 reads the end of the session",
  }),
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
    summary: "List an agent's sessions in the order of their keys, or the latest first",
    description:
      "`user`, `agent` and `session` list only sessions whose scope has these parts. A page in the order `recent` looks at no " +
      "more than 5,000 sessions, or with `q` into 300, so it may be short, or empty, and still have a `nextCursor`.",
    scope: "agent:read",
    query: listQuery,
    answer: json(sessionList, "One page; pass `nextCursor` as `cursor` for the next"),
    run: async (deps, caller, { params, query }) => {
      const { order, prefix, cursor, limit: most, details, q, person, channel, since, until, ...scope } = query;
      const limit = details ? Math.min(most, MAX_WITH_DETAILS) : most;
      if (order === "recent") {
        const filter = { prefix, scope, person, channel, since, until, contains: q };
        return listRecentSessions(deps, caller, params.agentId, { ...filter, cursor, limit, details });
      }
      const wanted = { prefix, after: decodeCursor(cursor), limit: limit + 1, scope, details };
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
    run: (deps, caller, { params, query: { after, before, limit, ...scope } }) =>
      getSession(deps, caller, params.agentId, params.session, { after, before, limit, reader: readerOf(scope) }),
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
