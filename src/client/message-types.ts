/**
 * The roles, under the names that chat APIs use. `human` is stored as `user`, `developer` as
 * `system`, `function` as `tool`, and so on.
 */
export type MessageRole =
  | "user"
  | "human"
  | "assistant"
  | "ai"
  | "bot"
  | "model"
  | "system"
  | "developer"
  | "tool"
  | "function";

/** A message in the form of any chat API. Keys that are not listed here are ignored. */
export interface MessageInput {
  /** The sender's own id of the message. A message with a known id is not stored again. */
  id?: string | null | undefined;
  /** The role. Items of OpenAI's Responses API may have none. */
  role?: MessageRole | undefined;
  type?: string | null | undefined;
  /** The speaker's name. */
  name?: string | null | undefined;
  text?: string | null | undefined;
  /**
   * A text, or parts in the form of chat APIs. A part that is not text is shown by its type, as in
   * `[image]`.
   */
  content?: string | readonly unknown[] | Record<string, unknown> | null | undefined;
  /** The content under the name that Gemini and Vercel's AI SDK use. */
  parts?: readonly unknown[] | null | undefined;
  /** The time of the message, as an ISO 8601 time; default: now. */
  at?: string | undefined;
  /** The time of the message under the names that other APIs use. An invalid time is ignored. */
  timestamp?: unknown;
  createdAt?: unknown;
  created_at?: unknown;
  /** The tool calls and their related fields, shown in the text as `[tool call: search]`. */
  tool_calls?: unknown;
  toolInvocations?: unknown;
  function_call?: unknown;
  tool_call_id?: unknown;
  call_id?: unknown;
  arguments?: unknown;
  output?: unknown;
  refusal?: unknown;
  audio?: unknown;
}
