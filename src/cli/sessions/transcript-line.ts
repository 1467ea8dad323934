import { createHash } from "node:crypto";
import { isObject } from "../../base/objects.ts";
import { MAX_MESSAGE_CHARS, readLine, readTime } from "../../service/sessions/message-schemas.ts";

/** A message as the API takes it. */
export interface TranscriptMessage {
  id: string;
  role: "user" | "assistant" | "system" | "tool";
  name?: string;
  text: string;
  at?: string;
}

/** What a line of a transcript is; `skipped` are lines that belong there and hold nothing that was said. */
export type ParsedLine = { message: TranscriptMessage } | { skipped: true } | { bad: string };

type Fields = Readonly<Record<string, unknown>>;

/** The server's limit. */
const MAX_NAME_CHARS = 200;

/**
 * Reads one line of a JSONL transcript, in one of three forms: `{ role, content | text, name?, at | timestamp?, id? }`;
 * OpenClaw's `{ type: "message", id, timestamp, message: { role, content } }`; Claude Code's `{ type: "user" | "assistant",
 * uuid, timestamp, message: { content } }`. Content is read as everywhere (`ingest/chat-message.ts`), without tool calls and
 * results and thinking; side chains and lines about the session itself are skipped.
 *
 * @param number 1-based; with the text it makes the id of a message that brings none
 */
export function parseTranscriptLine(line: string, number: number): ParsedLine {
  if (line.trim() === "") return { skipped: true };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { bad: "not JSON" };
  }
  if (!isObject(value)) return { bad: "not a JSON object" };
  if (isObject(value.message)) return readAgentLine(value, value.message, number);
  if (value.role === undefined) return typeof value.type === "string" ? { skipped: true } : { bad: "no role" };
  const text = (value.content ?? value.parts) ? undefined : value.text;
  return readMessage({ ...value, text, at: value.at ?? value.timestamp ?? value.createdAt }, number);
}

/** A line of OpenClaw or Claude Code, which wrap the message. */
function readAgentLine(line: Fields, message: Fields, number: number): ParsedLine {
  const role = message.role ?? line.type;
  const isMessage = line.type === "message" || line.type === "user" || line.type === "assistant";
  // A transcript of an agent at work is mostly what its tools read and wrote; what was said about it is the memory.
  const isSaid = (role === "user" || role === "assistant") && line.isSidechain !== true && line.isMeta !== true;
  if (!isMessage || !isSaid) return { skipped: true };
  const at = line.timestamp ?? message.timestamp;
  return readMessage({ role, content: message.content, at, id: line.uuid ?? line.id }, number);
}

/**
 * Reads a message with the server's limits: its words and attachments without tool calls, results and thinking; `skipped`
 * when nothing is left.
 *
 * @param fields `role`, the content under any of its names, and perhaps `id`, `name` and `at`
 * @param number its place among the others, 1-based; with the text it makes the id of a message that brings none
 */
export function readMessage(fields: Fields, number: number): ParsedLine {
  const said = readLine(fields);
  if (!said) return { bad: "an unknown role" };
  const { role } = said;
  const text = clean(said.text);
  if (text.trim() === "") return { skipped: true };
  if (text.length > MAX_MESSAGE_CHARS) return { bad: `a text longer than ${MAX_MESSAGE_CHARS} characters` };
  const name = typeof fields.name === "string" ? oneLine(fields.name) : "";
  const at = readTime(fields.at);
  return {
    message: {
      id:
        idOf(fields.id) ??
        `line:${number}:${createHash("sha256").update(`${role}\n${text}`).digest("hex").slice(0, 16)}`,
      role,
      ...(name === "" ? {} : { name }),
      text,
      ...(at === undefined ? {} : { at }),
    },
  };
}

/** What the server refuses in a text; whoever sends a transcript cannot mend it. */
export function clean(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

/** A text as the name of something: one line that the server takes. */
export function oneLine(text: string): string {
  return clean(text)
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
}

/** An id as it is given; undefined where the server would refuse it. */
export function idOf(id: unknown): string | undefined {
  const text = typeof id === "number" ? String(id) : id;
  return typeof text === "string" && text !== "" && text.length <= MAX_NAME_CHARS && text === oneLine(text)
    ? text
    : undefined;
}
