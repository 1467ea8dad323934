import type { Role } from "../db/agent/sessions/messages.ts";
import { callPieces, type Fields, isFields, joinPieces, type Piece, piecesOf } from "./message-parts.ts";

/** Who speaks, as chat APIs and transcripts call it; `developer` is OpenAI's newer word for `system`. */
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

/** Who speaks in an item of OpenAI's Responses API that has no role. */
const ITEM_ROLES: Readonly<Record<string, Role>> = {
  function_call: "assistant",
  custom_tool_call: "assistant",
  reasoning: "assistant",
  function_call_output: "tool",
  custom_tool_call_output: "tool",
};

/** A part is never smaller than a line of its name. */
const MAX_PARTS = 2000;

export interface ChatMessage {
  role: Role;
  /** All of it; what is no text is named, as in `[image]` or `[tool call: search]`. Empty when there is nothing. */
  text: string;
  /** What the speaker himself says and shows, without tools and thoughts; may be empty. */
  said: string;
  /** What he says alone: what is captured of a user's message. */
  own: string;
}

/**
 * Reads a message as chat APIs write it: OpenAI's chat completions and Responses, Anthropic's messages, Gemini's contents,
 * Vercel's UI messages, and our own `{ role, text }`. Pure, and linear in its size.
 *
 * @param fields of them `role`, `type`, `text`, `content`, `parts`, `tool_calls`, `function_call`, `toolInvocations`, `audio`,
 *   `refusal`, `output` are read
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
  // A message of the API's user that brings nothing but results is the tools', not his.
  const isTools = role === "user" && all.length > 0 && all.every((piece) => piece.isResult);
  return {
    role: isTools ? "tool" : role,
    // Tools that have nothing to say are answered for all the same.
    text: all.length === 0 && role === "tool" ? "[tool result]" : joinPieces(all),
    said: joinPieces(all.filter((piece) => piece.kind !== "work")),
    own: join(all, "said"),
  };
}

/** The role by any of its names, or by the type of an item that has none. */
function roleOf({ role, type }: Fields): Role | undefined {
  const name = String(role ?? type).toLowerCase();
  const names: Readonly<Record<string, Role>> = role === undefined ? { ...ITEM_ROLES, ...ROLE_NAMES } : ROLE_NAMES;
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

function isItem({ role, type }: Fields): boolean {
  return role === undefined && typeof type === "string" && Object.hasOwn(ITEM_ROLES, type);
}

/** `parts` is the fuller of the two where a message has both. */
function contentOf({ parts, content }: Fields): unknown {
  return Array.isArray(parts) && parts.length > 0 ? parts : content;
}

/** What stands beside the content: calls, an answer in sound, a refusal. Calls that the content names already are left out. */
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

/** ISO 8601, or milliseconds or seconds since 1970; undefined for what is none of these. */
export function readTimestamp(value: unknown): Date | undefined {
  let at: Date | undefined;
  if (typeof value === "number") at = new Date(Math.abs(value) < 1e11 ? value * 1000 : value);
  // `Date` takes "1" for the year 2001.
  else if (typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value)) at = new Date(value);
  if (!at || Number.isNaN(at.getTime())) return undefined;
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at : undefined;
}
