import { createHash } from "node:crypto";
import { isObject } from "../../base/objects.ts";
import { MAX_MESSAGE_CHARS, readLine, readTime } from "../../service/sessions/message-schemas.ts";

/** A message in the form that the API accepts. */
export interface TranscriptMessage {
  id: string;
  role: "user" | "assistant" | "system" | "tool";
  name?: string;
  text: string;
  at?: string;
}

/**
 * The result of parsing a transcript line. `skipped` lines are valid but hold nothing that was
 * said.
 */
export type ParsedLine = { message: TranscriptMessage } | { skipped: true } | { bad: string };

type Fields = Readonly<Record<string, unknown>>;

/** The server's limit for a name. */
const MAX_NAME_CHARS = 200;

/**
 * Parses one line of a JSONL transcript. The line has one of three forms:
 * `{ role, content | text, name?, at | timestamp?, id? }`; OpenClaw's
 * `{ type: "message", id, timestamp, message: { role, content } }`; Claude Code's
 * `{ type: "user" | "assistant", uuid, timestamp, message: { content } }`. The content is read as
 * in all other places (`ingest/chat-message.ts`), without tool calls, tool results and thinking.
 * Side chains and lines about the session itself are skipped.
 *
 * @param number the line number, 1-based; number and text make the id of a message that has none
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

/** Reads a line of OpenClaw or Claude Code, in which the message is wrapped in another object. */
function readAgentLine(line: Fields, message: Fields, number: number): ParsedLine {
  const role = message.role ?? line.type;
  const isMessage = line.type === "message" || line.type === "user" || line.type === "assistant";
  // The transcript of a working agent consists mostly of its tools' input and output. Only the
  // words of user and assistant become memory.
  const isSaid = (role === "user" || role === "assistant") && line.isSidechain !== true && line.isMeta !== true;
  if (!isMessage || !isSaid) return { skipped: true };
  const at = line.timestamp ?? message.timestamp;
  return readMessage({ role, content: message.content, at, id: line.uuid ?? line.id }, number);
}

/**
 * Reads a message within the server's limits: its words and attachments, without tool calls, tool
 * results and thinking. Returns `skipped` when nothing is left.
 *
 * @param fields `role`, the content under any of its names, and perhaps `id`, `name` and `at`
 * @param number the message's position in the conversation, 1-based; number and text make the id of
 * a message that has none
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

/**
 * Replaces the characters that the server refuses in a text, because the sender of a transcript
 * cannot correct them.
 */
export function clean(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

/** Returns a text in the form of a name: one line that the server accepts. */
export function oneLine(text: string): string {
  return clean(text)
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
}

/** Returns an id unchanged, or undefined if the server would refuse it. */
export function idOf(id: unknown): string | undefined {
  const text = typeof id === "number" ? String(id) : id;
  return typeof text === "string" && text !== "" && text.length <= MAX_NAME_CHARS && text === oneLine(text)
    ? text
    : undefined;
}
