import { createHash } from "node:crypto";

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

type Fields = Record<string, unknown>;

/** The server's limits. */
const MAX_TEXT_CHARS = 262_144;
const MAX_NAME_CHARS = 200;

const ROLES: Readonly<Record<string, TranscriptMessage["role"]>> = {
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  bot: "assistant",
  model: "assistant",
  system: "system",
  developer: "system",
  tool: "tool",
};

const TEXT_BLOCKS = new Set<unknown>(["text", "input_text", "output_text", undefined]);

/**
 * Reads one line of a JSONL transcript, in one of three forms: `{ role, content | text, name?, at | timestamp?, id? }`;
 * OpenClaw's `{ type: "message", id, timestamp, message: { role, content } }`; Claude Code's `{ type: "user" | "assistant",
 * uuid, timestamp, message: { content } }`. Of content in blocks the text blocks count. Tool calls and results, thinking,
 * side chains and lines about the session itself are skipped.
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
  return read({ ...value, content: value.content ?? value.text, at: value.at ?? value.timestamp }, number);
}

/** A line of OpenClaw or Claude Code, which wrap the message. */
function readAgentLine(line: Fields, message: Fields, number: number): ParsedLine {
  const role = message.role ?? line.type;
  const isMessage = line.type === "message" || line.type === "user" || line.type === "assistant";
  // A transcript of an agent at work is mostly what its tools read and wrote; what was said about it is the memory.
  const isSaid = (role === "user" || role === "assistant") && line.isSidechain !== true && line.isMeta !== true;
  if (!isMessage || !isSaid) return { skipped: true };
  const at = line.timestamp ?? message.timestamp;
  return read({ role, content: message.content, at, id: line.uuid ?? line.id }, number);
}

function read(fields: Fields, number: number): ParsedLine {
  const role = typeof fields.role === "string" ? ROLES[fields.role.toLowerCase()] : undefined;
  if (!role) return { bad: "an unknown role" };
  const text = clean(textOf(fields.content) ?? "");
  if (text.trim() === "") return { skipped: true };
  if (text.length > MAX_TEXT_CHARS) return { bad: `a text longer than ${MAX_TEXT_CHARS} characters` };
  const name = typeof fields.name === "string" ? oneLine(fields.name) : "";
  const at = instantOf(fields.at);
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

/** A string, or the text blocks of a list. */
function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((block: unknown) => {
    if (typeof block === "string") return [block];
    return isObject(block) && TEXT_BLOCKS.has(block.type) && typeof block.text === "string" ? [block.text] : [];
  });
  return texts.join("\n\n");
}

/** What the server refuses in a text; whoever sends a transcript cannot mend it. */
function clean(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

function oneLine(text: string): string {
  return clean(text)
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
}

function idOf(id: unknown): string | undefined {
  const text = typeof id === "number" ? String(id) : id;
  return typeof text === "string" && text !== "" && text.length <= MAX_NAME_CHARS && text === oneLine(text)
    ? text
    : undefined;
}

/** ISO 8601, or milliseconds or seconds since 1970; what is none of these is left to the time of arrival. */
function instantOf(value: unknown): string | undefined {
  let at: Date | undefined;
  if (typeof value === "number") at = new Date(Math.abs(value) < 1e11 ? value * 1000 : value);
  // `Date` takes "1" for the year 2001.
  else if (typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value)) at = new Date(value);
  if (!at || Number.isNaN(at.getTime())) return undefined;
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at.toISOString() : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
