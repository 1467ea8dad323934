import { createHash } from "node:crypto";
import { jsonOf } from "../../base/json-text.ts";
import { isObject } from "../../base/objects.ts";
import { MAX_MESSAGE_CHARS, readLine, readTime } from "../../service/sessions/message-schemas.ts";
import { turnMessageId, wordsOf } from "../../service/sessions/turn-message.ts";

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
export type ParsedLine =
  | { message: TranscriptMessage /** The turn that begins with the message. */; turn?: string }
  | { skipped: true; turn?: string }
  | { bad: string };

type Fields = Readonly<Record<string, unknown>>;

/** The server's limit for a name. */
const MAX_NAME_CHARS = 200;

/**
 * Parses one line of a JSONL transcript. The line has one of four forms:
 * `{ role, content | text, name?, at | timestamp?, id? }`; OpenClaw's
 * `{ type: "message", id, timestamp, message: { role, content } }`; Claude Code's
 * `{ type: "user" | "assistant", uuid, timestamp, message: { content } }`; Codex's
 * `{ type: "response_item", timestamp, payload: { type: "message", role, content } }`. The content
 * is read as in all other places (`ingest/chat-message.ts`), without tool calls, tool results and
 * thinking. Skipped are side chains, lines about the session itself, and everything that the program
 * around a coding agent wrote into a message.
 *
 * @param number the line number, 1-based; number and text make the id of a message that has none
 */
export function parseTranscriptLine(line: string, number: number): ParsedLine {
  if (line.trim() === "") return { skipped: true };
  const value = jsonOf(line);
  return value === undefined ? { bad: NOT_JSON } : readTranscriptItem(value, number);
}

/** The reason why a line without valid JSON is bad. A line whose end is missing has it too. */
export const NOT_JSON = "not JSON";

/** Reads the value of a transcript's line, or the element of a transcript that is a list. */
export function readTranscriptItem(value: unknown, number: number): ParsedLine {
  if (!isObject(value)) return { bad: "not a JSON object" };
  if (isObject(value.message)) return readAgentLine(value, value.message, number);
  if (isObject(value.payload)) return readCodexLine(value, value.payload, number);
  if (value.role === undefined) {
    const other = inOtherForm(value);
    if (other) return readMessage(other, number);
    return typeof value.type === "string" ? { skipped: true } : { bad: "no role" };
  }
  // The oldest Codex wrote its items without another object around them.
  if (value.type === "message") return readCodexLine({ type: "response_item" }, value, number);
  const text = (value.content ?? value.parts) ? undefined : value.text;
  return readMessage({ ...value, text, at: value.at ?? value.timestamp ?? value.createdAt }, number);
}

/** The roles by which a message is known whose role has another name. `system` also names lines of programs. */
const OTHER_ROLES = new Set(["human", "user", "ai", "assistant", "gpt", "chatgpt", "bot", "model"]);

/**
 * Returns the message of a line that has other names for the role and the text: exports for training
 * (`from`, `value`), LangChain (`type`, `data`), ChatGPT (`author`, `create_time`). Returns undefined if
 * the line has no role.
 */
function inOtherForm(line: Fields): Fields | undefined {
  const { type, from, sender, speaker, author, data } = line;
  const named = [from, sender, speaker, isObject(author) ? author.role : author].map(roleOf).find(Boolean);
  // Programs also have types such as `user` for lines of their own.
  const role = named ?? (type === "human" || type === "ai" ? type : undefined);
  if (role === undefined) return undefined;
  const inside = isObject(data) ? data : {};
  const given = line.content ?? line.parts ?? inside.content;
  const content = isObject(given) && Array.isArray(given.parts) ? given.parts : given;
  const text = content === undefined ? (line.text ?? line.value ?? line.body) : undefined;
  const at = line.at ?? line.timestamp ?? line.createdAt ?? line.created_at ?? line.create_time;
  return { role, content, text, at, id: line.id ?? line.uuid };
}

function roleOf(value: unknown): string | undefined {
  const name = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (!OTHER_ROLES.has(name)) return undefined;
  return name === "gpt" || name === "chatgpt" ? "assistant" : name;
}

/** Flags that mark a line of Claude Code's transcripts as written by the program. */
const UNSAID_FLAGS = [
  "isSidechain",
  "isMeta",
  "isCompactSummary",
  "isVisibleInTranscriptOnly",
  "isApiErrorMessage",
  "isVirtual",
] as const;
/** The model that Claude Code names in answers of its own, such as an error. */
const NO_MODEL = "<synthetic>";

/** Reads a line of OpenClaw or Claude Code, in which the message is wrapped in another object. */
function readAgentLine(line: Fields, message: Fields, number: number): ParsedLine {
  const role = message.role ?? line.type;
  const isMessage = line.type === "message" || line.type === "user" || line.type === "assistant";
  // The transcript of a working agent consists mostly of its tools' input and output. Only the
  // words of user and assistant become memory.
  const isSaid = (role === "user" || role === "assistant") && UNSAID_FLAGS.every((flag) => line[flag] !== true);
  if (!isMessage || !isSaid || message.model === NO_MODEL || isOfProgram(line)) return { skipped: true };
  const at = line.timestamp ?? message.timestamp;
  const turn = typeof line.promptId === "string" ? line.promptId : undefined;
  return readSpoken({ role, content: message.content, at, id: line.uuid ?? line.id }, number, turn);
}

/** Returns whether a prompt of Claude Code has another author than a person. */
function isOfProgram({ promptSource, wakeupSource, origin }: Fields): boolean {
  const author = isObject(origin) ? origin.kind : undefined;
  return promptSource === "system" || typeof wakeupSource === "string" || (author !== undefined && author !== "human");
}

/**
 * Reads a line of Codex. Other lines than messages repeat them for the screen, or hold what the
 * program keeps about the session.
 */
function readCodexLine(line: Fields, payload: Fields, number: number): ParsedLine {
  const { role, content, id } = payload;
  const isSaid = payload.type === "message" && (role === "user" || role === "assistant");
  if (line.type !== "response_item" || !isSaid) return { skipped: true };
  const about = payload.internal_chat_message_metadata_passthrough;
  const turn = isObject(about) && typeof about.turn_id === "string" ? about.turn_id : undefined;
  return readSpoken({ role, content, at: line.timestamp, id: turn === undefined ? id : undefined }, number, turn);
}

/** Reads a message of a coding agent, and keeps only the words of the speaker. */
function readSpoken(fields: Fields, number: number, turn: string | undefined): ParsedLine {
  const read = readMessage(fields, number);
  if (!("message" in read)) return read;
  const text = wordsOf(read.message.text);
  if (text === "") return { skipped: true, ...(turn === undefined ? {} : { turn }) };
  const { role } = read.message;
  const inTurn = turn === undefined ? undefined : turnMessageId(turn, role, text);
  const id = idOf(fields.id) ?? inTurn ?? read.message.id;
  return { message: { ...read.message, id, text }, ...(turn === undefined ? {} : { turn }) };
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
