import { z } from "@hono/zod-openapi";
import { oneLine } from "../service/fact-scope.ts";
import { instant } from "../service/instant.ts";
import { MAX_MESSAGE_CHARS, MAX_MESSAGES, messageRole } from "./schemas.ts";

const text = z
  .string()
  .max(MAX_MESSAGE_CHARS)
  .refine((value) => value.trim() !== "", "must not be empty");

export const messageInput = z
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
  .transform(({ content, text: given, ...rest }) => ({ ...rest, text: given ?? content ?? "" }))
  .openapi("MessageInput");

export const appendInput = z
  .strictObject({ messages: z.array(messageInput).max(MAX_MESSAGES).default([]), end: z.boolean().default(false) })
  .refine((one) => one.messages.length > 0 || one.end, "needs a message, or end")
  .openapi("AppendInput");

export const appendedMessages = z
  .object({
    session: z.string(),
    key: z.string(),
    path: z.string(),
    appended: z.int(),
    duplicates: z.int(),
    expired: z.int(),
    lastMessage: z.int(),
    unindexedMessages: z.int(),
    indexing: z.enum(["queued", "later", "off"]),
  })
  .openapi("AppendedMessages");

export const sessionSummary = z
  .object({
    session: z.string(),
    key: z.string(),
    path: z.string(),
    messages: z.int(),
    bytes: z.int(),
    lines: z.int(),
    startedAt: z.string(),
    lastMessageAt: z.string(),
    unindexedMessages: z.int(),
  })
  .openapi("SessionSummary");

export const sessionList = z
  .object({ sessions: z.array(sessionSummary), nextCursor: z.string().optional() })
  .openapi("SessionPage");

export const message = z
  .object({
    number: z.int(),
    id: z.string().optional(),
    role: messageRole,
    name: z.string().optional(),
    text: z.string(),
    at: z.string(),
    startLine: z.int(),
    endLine: z.int(),
  })
  .openapi("Message");

export const session = z
  .object({
    session: sessionSummary,
    lastMessageId: z.string().nullable(),
    messages: z.array(message),
    nextAfter: z.int().optional(),
  })
  .openapi("Session");

export const deletedSession = z
  .object({ session: z.string(), messages: z.int(), chunks: z.int() })
  .openapi("DeletedSession");
