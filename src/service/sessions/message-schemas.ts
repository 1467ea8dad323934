import { z } from "zod";
import { momentOfClock } from "../../base/civil-day.ts";
import { ORIGIN_CLASSES } from "../../db/agent/sessions/messages.ts";
import {
  type ChatMessage,
  ROLE_NAMES,
  readChatMessage,
  readClockTime,
  readTimestamp,
} from "../../ingest/chat-message.ts";
import { oneLine } from "../core/scalar-schemas.ts";
import type { MessageInput } from "./append-input.ts";

/** The most characters of one message. */
export const MAX_MESSAGE_CHARS = 262_144;
/**
 * The most JSON values per message of a request, on average: its fields, and 40 parts, calls or
 * results of ten values each.
 */
export const VALUES_OF_MESSAGE = 400;

const anyTime = z.unknown().describe("The time of the message, under the name of another API");
const calls = z.unknown().describe("Shown in the text, as `[tool call: search]`");

/** A message, as every endpoint accepts it. Unknown keys are ignored. */
const chatMessage = z.object({
  id: oneLine.nullish().describe("The sender's id: a message with a known id is not stored again"),
  // Any letter case is taken, and the reference lists the names, so clients have them as a type.
  role: z
    .string()
    .meta({ enum: Object.keys(ROLE_NAMES) })
    .optional()
    .describe(
      "In any letter case. `developer` is stored as `system`, `function` as `tool`; items of OpenAI's Responses may have none",
    ),
  type: z.string().nullish(),
  name: oneLine.nullish().describe("The speaker's name"),
  text: z.string().nullish(),
  content: z
    .union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullish()
    .describe("A text, or parts as in chat APIs; parts other than text are named, as in `[image]`"),
  parts: z
    .array(z.unknown())
    .nullish()
    .describe("The same as `content`, under the name of Gemini and of Vercel's AI SDK"),
  originClass: z
    .enum(ORIGIN_CLASSES)
    .optional()
    .describe(
      "The class of the author, if your program knows it: the owner, the agent, somebody outside (`untrusted`) or the host's own scaffolding (`system`)",
    ),
  at: z
    .union([z.string().meta({ format: "date-time" }), z.number()])
    .optional()
    .describe(
      "The time of the message: ISO 8601, without an offset in the agent's time zone, or seconds or milliseconds since 1970; default: now",
    ),
  timestamp: anyTime.optional(),
  createdAt: anyTime.optional(),
  created_at: anyTime.optional(),
  tool_calls: calls.optional(),
  toolInvocations: calls.optional(),
  function_call: calls.optional(),
  tool_call_id: z.unknown().optional(),
  call_id: z.unknown().optional(),
  arguments: z.unknown().optional(),
  output: z.unknown().optional(),
  refusal: z.unknown().optional(),
  audio: z.unknown().optional(),
});

/** The names of a message's time. The first one that can be read counts. */
const TIME_NAMES = ["at", "timestamp", "createdAt", "created_at"] as const;

/** Objects of other programs, such as `{ seconds: 0 }`, are ignored: they say nothing in this form. */
function isGivenTime(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value !== "");
}

/** A message, which may be empty. */
export const turnMessage = chatMessage.transform((given, context) => {
  const message = readChatMessage(given);
  if ("problem" in message || message.text.length > MAX_MESSAGE_CHARS) {
    const long = `must have at most ${MAX_MESSAGE_CHARS} characters`;
    context.addIssue({ code: "custom", message: "problem" in message ? message.problem : long });
    return z.NEVER;
  }
  const { role, text, own } = message;
  const names = TIME_NAMES.filter((name) => isGivenTime(given[name]));
  const [said] = names.map((name) => given[name]).filter((value) => readTimestamp(value) !== undefined);
  const clock = readClockTime(said);
  const at = clock ?? readTimestamp(said);
  // A message that was stored with the present time instead would be of another day for ever.
  const isWrong = given.at === undefined ? !at && names.length > 0 : !readTimestamp(given.at);
  if (isWrong) {
    const rule = "must be an ISO 8601 time, such as 2026-05-18T12:00:00Z, or seconds or milliseconds since 1970";
    context.addIssue({ code: "custom", path: [given.at === undefined ? (names[0] ?? "at") : "at"], message: rule });
    return z.NEVER;
  }
  const { originClass } = given;
  return {
    id: given.id ?? undefined,
    name: given.name ?? undefined,
    at,
    isClockTime: clock !== undefined,
    role,
    text,
    own,
    originClass,
  };
});

/** Returns messages with the times that clocks of a zone show as moments. A moment outside the years 1 to 9999 is left as it was. */
export function withZonedTimes<T extends Pick<MessageInput, "at" | "isClockTime">>(
  messages: readonly T[],
  zone: string,
): T[] {
  return messages.map((message) =>
    message.isClockTime && message.at
      ? {
          ...message,
          at: readTimestamp(momentOfClock(message.at, zone).toISOString()) ?? message.at,
          isClockTime: false,
        }
      : message,
  );
}

/**
 * Returns the role and words of a transcript's line, with its attachments. Leaves out tool calls
 * and thoughts.
 */
export function readLine(
  line: Readonly<Record<string, unknown>>,
): { role: ChatMessage["role"]; text: string } | undefined {
  const message = readChatMessage(line);
  return "problem" in message ? undefined : { role: message.role, text: message.said };
}

/** Returns the time of a transcript's line. */
export function readTime(value: unknown): string | undefined {
  return readTimestamp(value)?.toISOString();
}
