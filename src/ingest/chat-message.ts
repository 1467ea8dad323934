import { civilDay } from "../base/civil-day.ts";
import { msSince1970 } from "../base/epoch-time.ts";
import type { Role } from "../db/agent/sessions/messages.ts";

/**
 * The roles by the names that chat APIs and transcripts use. `developer` is OpenAI's newer name for
 * `system`.
 */
export const ROLE_NAMES = {
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  bot: "assistant",
  model: "assistant",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "tool",
} as const satisfies Record<string, Role>;

/** The roles of items without a role in OpenAI's Responses API. */
const ITEM_ROLES: Readonly<Record<string, Role>> = {
  function_call: "assistant",
  custom_tool_call: "assistant",
  reasoning: "assistant",
  function_call_output: "tool",
  custom_tool_call_output: "tool",
};

/** The most parts of a message. Each part takes at least a line with its name. */
const MAX_PARTS = 2000;

export interface ChatMessage {
  role: Role;
  /**
   * The whole text. Parts other than text appear by name, as in `[image]` or `[tool call: search]`.
   * Empty when the message has no parts.
   */
  text: string;
  /** The speaker's words and attachments, without tools and thoughts. May be empty. */
  said: string;
  /** The speaker's words alone. Facts are captured from these words of a user's message. */
  own: string;
}

/**
 * Reads a message in the form of any chat API: OpenAI's chat completions and Responses, Anthropic's
 * messages, Gemini's contents, Vercel's UI messages, and this service's own `{ role, text }`. Pure,
 * and linear in the message's size.
 *
 * @param fields the message; the function reads its `role`, `type`, `text`, `content`, `parts`,
 *   `tool_calls`, `function_call`, `toolInvocations`, `audio`, `refusal`, `output`
 */
export function readChatMessage(fields: Fields): ChatMessage | { problem: string } {
  const role = roleOf(fields);
  if (!role) return { problem: "has no role that is known: user, assistant, system, developer or tool" };
  const content = contentOf(fields);
  if (Array.isArray(content) && content.length > MAX_PARTS) return { problem: `has more than ${MAX_PARTS} parts` };
  const given = piecesOf(typeof fields.text === "string" ? fields.text : undefined);
  const pieces = [...piecesOf(content), ...(isItem(fields) ? piecesOf([fields]) : [])];
  const isSame = (one: string) => one.trim() === given[0]?.text.trim();
  if (given.length > 0 && pieces.length > 0 && !isSame(joinPieces(pieces)) && !isSame(join(pieces, "said")))
    return { problem: "has a text and a content that differ; send one of them" };
  const all = withExtras(pieces.length > 0 ? pieces : given, fields);
  // A user message with only tool results belongs to the tools.
  const isTools = role === "user" && all.length > 0 && all.every((piece) => piece.isResult);
  return {
    role: isTools ? "tool" : role,
    // A tool's answer without text is still an answer and gets a text.
    text: all.length === 0 && role === "tool" ? "[tool result]" : joinPieces(all),
    said: joinPieces(all.filter((piece) => piece.kind !== "work")),
    own: join(all, "said"),
  };
}

/** Returns the role by any of its names, or by the item's type when the item has no role. */
function roleOf({ role, type }: Fields): Role | undefined {
  const name = String(role ?? type)
    .trim()
    .toLowerCase();
  const names: Readonly<Record<string, Role>> = role === undefined ? { ...ITEM_ROLES, ...ROLE_NAMES } : ROLE_NAMES;
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

function isItem({ role, type }: Fields): boolean {
  return role === undefined && typeof type === "string" && Object.hasOwn(ITEM_ROLES, type);
}

/** Returns the content. Prefers `parts`, which is fuller where a message has both fields. */
function contentOf({ parts, content }: Fields): unknown {
  return Array.isArray(parts) && parts.length > 0 ? parts : content;
}

/**
 * Adds the parts beside the content: calls, an audio answer, a refusal. Leaves out calls that the
 * content already names.
 */
function withExtras(pieces: readonly Piece[], fields: Fields): Piece[] {
  const calls = [fields.tool_calls, fields.toolInvocations, [fields.function_call]]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list.slice(0, MAX_PARTS) : []))
    .filter(isFields)
    .flatMap(callPieces);
  const named = new Set(pieces.map((piece) => piece.text));
  const transcript = isFields(fields.audio) ? fields.audio.transcript : undefined;
  const instead = pieces.length > 0 ? [] : piecesOf([fields.refusal, transcript]);
  return [...pieces, ...instead, ...calls.filter((piece) => !named.has(piece.text))];
}

function join(pieces: readonly Piece[], kind: Piece["kind"]): string {
  return joinPieces(pieces.filter((piece) => piece.kind === kind));
}

/** A time as HTTP and mail write it, such as `Fri, 20 Nov 2026 10:00:00 GMT` (RFC 5322, 3.3). */
const MAIL_TIME = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC?|Z|[+-]\d{4})$/;

/**
 * Reads ISO 8601, RFC 5322, or seconds or their parts since 1970, also as a text. Returns undefined
 * for any other value.
 */
export function readTimestamp(value: unknown): Date | undefined {
  let at: Date | undefined;
  if (typeof value === "number") at = new Date(msSince1970(value));
  else if (typeof value === "string" && /^\d{9,19}(?:\.\d{1,9})?$/.test(value))
    at = new Date(msSince1970(Number(value)));
  // A bare "1" is refused, because `Date` reads it as the year 2001.
  else if (typeof value === "string" && (isRealDay(value) || MAIL_TIME.test(value))) at = new Date(value);
  if (!at || Number.isNaN(at.getTime())) return undefined;
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at : undefined;
}

/** Returns whether a text begins with a day of the calendar. `Date` reads 30 February as 2 March. */
function isRealDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  return year !== undefined && civilDay(Number(year), Number(month), Number(day)) !== undefined;
}

/** Matches an ISO 8601 day, or a day and time without an offset. */
const CLOCK_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d{1,2})(:\d\d(?::\d\d(?:\.\d{1,9})?)?))?$/;

/**
 * Reads a time without an offset, as if clocks showed UTC; programs write such times of the place where they run.
 * Returns undefined for any other value.
 */
export function readClockTime(value: unknown): Date | undefined {
  const [, day, hour, rest = ""] = (typeof value === "string" && CLOCK_TIME.exec(value.trim())) || [];
  return hour === undefined ? readTimestamp(day) : readTimestamp(`${day}T${hour.padStart(2, "0")}${rest}Z`);
}

/** A piece of a message's text. */
interface Piece {
  /**
   * `said`: words of the speaker. `shown`: the name of an attachment, such as an image. `work`: a
   * tool call, a tool result or a thought.
   */
  readonly kind: "said" | "shown" | "work";
  readonly text: string;
  /** Whether the piece is a tool's answer. */
  readonly isResult?: true;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The deepest nesting that is read. A result may hold parts, which may hold results, and deeper
 * nesting would exhaust the stack.
 */
const MAX_DEPTH = 8;
const MAX_LABEL_CHARS = 100;

const TEXT_TYPES = new Set(["text", "input_text", "output_text", "summary_text"]);
const THOUGHTS = new Set(["thinking", "redacted_thinking", "reasoning", "reasoning_text"]);
const CALLS = new Set([
  ...["tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "toolcall", "function_call"],
  ...["custom_tool_call", "mcp_call", "dynamic-tool", "tool-invocation"],
]);
const RESULTS = new Set([
  ...["tool_result", "tool-result", "toolresult", "function_call_output", "custom_tool_call_output"],
]);
/** The types of parts without any text. */
const SILENT = new Set(["step-start", "item_reference"]);

/**
 * Reads the pieces of a message's content in any chat API: a text, a list of parts, one part, or
 * nothing.
 */
function piecesOf(content: unknown, depth = 0): Piece[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return content.trim() === "" ? [] : [{ kind: "said", text: content }];
  if (depth > MAX_DEPTH) return [shown("part")];
  if (Array.isArray(content)) return content.flatMap((part) => piecesOf(part, depth + 1));
  if (!isFields(content)) return [shown("part")];
  if (Array.isArray(content.parts)) return piecesOf(content.parts, depth + 1);
  return readPart(content, depth + 1);
}

function readPart(part: Fields, depth: number): Piece[] {
  const type = typeof part.type === "string" ? part.type.toLowerCase() : "";
  if (SILENT.has(type)) return [];
  if (THOUGHTS.has(type) || part.thought === true) return [{ kind: "work", text: "[thinking]" }];
  if (TEXT_TYPES.has(type) || (type === "" && typeof part.text === "string")) return piecesOf(part.text, depth);
  if (type === "refusal") return piecesOf(part.refusal, depth);
  return readCall(part, type) ?? readResult(part, type, depth) ?? [readShown(part, type)];
}

function readCall(part: Fields, type: string): Piece[] | undefined {
  const call = part.functionCall ?? part.function_call ?? part.toolInvocation;
  if (isFields(call)) return callPieces(call);
  if (CALLS.has(type)) return callPieces(part);
  // Vercel's AI SDK: the type is `tool-{name}`, and the result is in the same part.
  return /^tool-./.test(type) && !RESULTS.has(type)
    ? callPieces({ ...part, toolName: String(part.type).slice("tool-".length) })
    : undefined;
}

/** Returns a call, and its result where one part has both. */
function callPieces(call: Fields): Piece[] {
  const inner = isFields(call.function) ? call.function : isFields(call.custom) ? call.custom : call;
  const name = labelOf(inner.name ?? inner.toolName);
  const output = call.output ?? call.result;
  const came = output === undefined || output === null ? [] : [resultPiece(name, output, 0)];
  return [{ kind: "work", text: name === "" ? "[tool call]" : `[tool call: ${name}]` }, ...came];
}

function readResult(part: Fields, type: string, depth: number): Piece[] | undefined {
  const response = part.functionResponse ?? part.function_response ?? part.codeExecutionResult;
  if (isFields(response)) return [resultPiece(labelOf(response.name), response.response ?? response.output, depth)];
  // Anthropic has a type for each of its own tools, such as `web_search_tool_result`.
  if (!RESULTS.has(type) && !type.endsWith("_tool_result")) return undefined;
  return [resultPiece(labelOf(part.toolName), part.content ?? part.output ?? part.result, depth)];
}

function resultPiece(name: string, output: unknown, depth: number): Piece {
  const label = name === "" ? "[tool result]" : `[tool result: ${name}]`;
  const text = depth < MAX_DEPTH ? outputText(output, depth) : "";
  return { kind: "work", text: text === "" ? label : `${label} ${text}`, isResult: true };
}

function outputText(output: unknown, depth: number): string {
  if (typeof output === "string" || Array.isArray(output)) return joinPieces(piecesOf(output, depth));
  if (output === null || output === undefined) return "";
  // Vercel's AI SDK: `{ type, value }`.
  if (isFields(output) && "value" in output) return depth < MAX_DEPTH ? outputText(output.value, depth + 1) : "";
  try {
    return JSON.stringify(output);
  } catch {
    // The value is nested more deeply than the stack allows.
    return "";
  }
}

const IMAGES = new Set(["image", "image_url", "input_image", "image_generation_call"]);
const SOUNDS = new Set(["audio", "input_audio", "output_audio", "audio_url"]);

function readShown(part: Fields, type: string): Piece {
  const blob = [part.inlineData, part.inline_data, part.fileData, part.file_data, part.file].find(isFields);
  const media = mediaOf(blob ?? part, type);
  const { transcript, text } = part;
  const isSaid = (one: unknown): one is string => typeof one === "string" && one.trim() !== "";
  if (media === "audio" && isSaid(transcript)) return { kind: "said", text: transcript };
  if (media) return shown(media);
  if (blob || type === "file" || type === "input_file") return shown("file", (blob ?? part).filename);
  if (type === "document") return shown("document", part.title);
  if (type.startsWith("source")) return shown("source", part.title ?? part.url);
  if (isFields(part.executableCode) || isFields(part.executable_code)) return { kind: "work", text: "[code]" };
  return isSaid(text) ? { kind: "said", text } : shown(labelOf(type).replace(/[_-]+/g, " ") || "part");
}

function mediaOf(blob: Fields, type: string): "audio" | "image" | "video" | undefined {
  const named = labelOf(blob.mimeType ?? blob.mime_type ?? blob.mediaType ?? blob.media_type).toLowerCase();
  if (SOUNDS.has(type) || named.startsWith("audio/")) return "audio";
  if (IMAGES.has(type) || named.startsWith("image/")) return "image";
  return type.startsWith("video") || named.startsWith("video/") ? "video" : undefined;
}

function shown(what: string, name?: unknown): Piece {
  const label = labelOf(name);
  return { kind: "shown", text: label === "" ? `[${what}]` : `[${what}: ${label}]` };
}

/** Shortens a name for use inside brackets: one line of limited length. */
function labelOf(name: unknown): string {
  if (typeof name !== "string") return "";
  const line = name.slice(0, MAX_LABEL_CHARS).replace(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, " ");
  return line.trim().toWellFormed();
}

/** Joins the pieces to one text: spoken pieces as paragraphs, names on lines of their own. */
function joinPieces(pieces: readonly Piece[]): string {
  let text = "";
  for (const [at, piece] of pieces.entries()) {
    const isProse = piece.kind === "said" && pieces[at - 1]?.kind === "said";
    text += `${at === 0 ? "" : isProse ? "\n\n" : "\n"}${piece.text}`;
  }
  return text;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
