import { z } from "@hono/zod-openapi";
import { factScope } from "../service/core/scalar-schemas.ts";
import * as plain from "../service/sessions/message-schemas.ts";
import { captured } from "./fact-schemas.ts";
import { named, paged } from "./schemas.ts";

/** The most messages of one request. */
const MAX_MESSAGES = 500;
/** The most JSON values of one request. */
export const MAX_APPEND_VALUES = MAX_MESSAGES * plain.VALUES_OF_MESSAGE;
const messageInput = named(plain.turnMessage, "MessageInput");

export const appendInput = z
  .strictObject({
    messages: z.array(messageInput).max(MAX_MESSAGES).default([]),
    end: z.boolean().default(false).openapi({ description: "The conversation is over" }),
    capture: z
      .boolean()
      .optional()
      .openapi({ description: "Store the user's statements as facts; default: the setting `facts.capture.onAppend`" }),
    scope: factScope.optional().openapi({
      description:
        "The user, agent and session that the conversation and its captured facts are for; the first append that names a scope fixes it",
    }),
  })
  .refine((one) => one.messages.length > 0 || one.end, "needs a message, or end")
  .openapi("AppendInput");

export const appendedMessages = z
  .object({
    session: z.string(),
    key: z.string().openapi({ description: "The whole key, `agent:{agentId}:{session}`" }),
    path: z.string().openapi({ description: "Where `memory_get` reads the session as a transcript" }),
    appended: z.int(),
    duplicates: z.int().openapi({
      description:
        "Messages with a known id, and the beginning of a conversation that was sent again from its start without ids; they " +
        "were not stored again",
    }),
    expired: z
      .int()
      .openapi({ description: "Messages older than `sync.sessions.retentionDays`, which were not stored" }),
    skipped: z.int().openapi({ description: "Messages without a text, which were not stored" }),
    lastMessage: z.int().openapi({ description: "The number of the session's last message" }),
    unindexedMessages: z.int().openapi({ description: "Messages of the session that no search finds yet" }),
    indexing: z.enum(["done", "queued", "off"]).openapi({
      description:
        "`done`: the next search finds the messages. `queued`: a sync indexes them. `off`: the agent does not search sessions",
    }),
    captured: captured.optional(),
  })
  .openapi("AppendedMessages");

export const sessionSummary = z
  .object({
    session: z.string(),
    key: z.string(),
    path: z.string(),
    scope: z
      .object({ user: z.string().optional(), agent: z.string().optional(), session: z.string().optional() })
      .openapi({ description: "The user, agent and session that the conversation is for; empty: the whole agent" }),
    messages: z.int(),
    bytes: z.int(),
    lines: z.int(),
    startedAt: z.string(),
    lastMessageAt: z.string(),
    unindexedMessages: z.int(),
  })
  .openapi("SessionSummary");

const sessionDetails = z
  .object({
    channel: z
      .string()
      .openapi({ description: "The first part of the key, such as `slack`; empty: the key has no parts" }),
    people: z.array(z.string()).openapi({
      description: "The names of the speakers in the last 100 messages, at most ten",
    }),
    firstText: z.string().openapi({ description: "The first message, at most 300 characters" }),
    lastText: z.string().openapi({ description: "The last message, at most 300 characters" }),
    lastRole: z.string().optional(),
    lastName: z.string().optional(),
    facts: z.int().openapi({ description: "How many facts that hold come from the session" }),
    found: z
      .object({ message: z.int().openapi({ description: "The message's number" }), text: z.string() })
      .optional()
      .openapi({ description: "The last message that has the text `q`" }),
  })
  .openapi("SessionDetails", { description: "The content of a conversation in a few words" });

export const sessionList = paged({
  sessions: z.array(
    sessionSummary
      .extend({ details: sessionDetails.optional() })
      .openapi("ListedSession", { description: "A conversation in a list" }),
  ),
}).openapi("SessionPage");

export const message = z
  .object({
    number: z.int().openapi({ description: "The message's position in the conversation, from 1" }),
    id: z.string().optional(),
    role: z.enum(["user", "assistant", "system", "tool"]),
    name: z.string().optional(),
    text: z.string(),
    at: z.string(),
    startLine: z.int(),
    endLine: z.int(),
  })
  .openapi("Message", { description: "A stored message" });

export const session = z
  .object({
    session: sessionSummary,
    lastMessageId: z.string().nullable(),
    messages: z.array(message),
    nextAfter: z.int().optional().openapi({ description: "`after` for the next page" }),
    previousBefore: z
      .int()
      .optional()
      .openapi({ description: "`before` for the page of earlier messages; absent on the first page" }),
  })
  .openapi("Session", { description: "A conversation with a page of its messages" });

export const deletedSession = z
  .object({
    session: z.string(),
    messages: z.int(),
    chunks: z.int(),
    facts: z.int().openapi({ description: "How many facts came from the session, ended ones included" }),
    forgotten: z.int().openapi({ description: "How many of them were deleted with it" }),
  })
  .openapi("DeletedSession");
