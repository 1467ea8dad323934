import { createRoute, z } from "@hono/zod-openapi";
import { appendMessages } from "../../service/append-messages.ts";
import { instant } from "../../service/instant.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, MAX_MESSAGE_CHARS, MAX_MESSAGES, messageRole, needs, sessionParam } from "../schemas.ts";

const text = z
  .string()
  .max(MAX_MESSAGE_CHARS)
  .refine((value) => value.trim() !== "", "must not be empty");

const oneLine = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must be one line without control characters");

const message = z
  .strictObject({
    id: oneLine.optional(),
    role: messageRole,
    name: oneLine.optional(),
    text: text.optional(),
    /** The same as `text`, as chat APIs call it. */
    content: text.optional(),
    at: instant.optional(),
  })
  .refine((one) => (one.text === undefined) !== (one.content === undefined), "needs either text or content")
  .transform(({ content, text: given, ...rest }) => ({ ...rest, text: given ?? content ?? "" }));

const body = z
  .strictObject({ messages: z.array(message).max(MAX_MESSAGES).default([]), end: z.boolean().default(false) })
  .refine((one) => one.messages.length > 0 || one.end, "needs a message, or end");

const appended = z.object({
  session: z.string(),
  key: z.string(),
  path: z.string(),
  appended: z.int(),
  duplicates: z.int(),
  expired: z.int(),
  lastMessage: z.int(),
  unindexedMessages: z.int(),
  indexing: z.enum(["queued", "later", "off"]),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/sessions/{session}/messages",
  summary: "Append messages to a session, all or nothing",
  ...needs("agent:write"),
  request: { params: sessionParam, body: { required: true, ...json(body, "At most 500 messages") } },
  responses: { 200: json(appended, "Durable; indexed in the background"), ...errorResponses },
});

/** POST messages of a session. */
export function registerSessionsAppend(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId, session } = c.req.valid("param");
    return c.json(await appendMessages(service, c.get("caller"), agentId, session, c.req.valid("json")), 200);
  });
}
