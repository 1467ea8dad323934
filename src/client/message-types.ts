/** Roles as chat APIs name them; `human` is stored as `user`, `developer` as `system`, `function` as `tool`, and so on. */
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

/** A message as any chat API writes it. Other keys than these are ignored. */
export interface MessageInput {
  /** Yours: a message with a known id is not stored again. */
  id?: string | null | undefined;
  /** Items of OpenAI's Responses API may have none. */
  role?: MessageRole | undefined;
  type?: string | null | undefined;
  /** The speaker's name. */
  name?: string | null | undefined;
  text?: string | null | undefined;
  /** A text, or parts as chat APIs have them; parts that are no text are named, as in `[image]`. */
  content?: string | readonly unknown[] | Record<string, unknown> | null | undefined;
  /** The same, as Gemini and Vercel's AI SDK call it. */
  parts?: readonly unknown[] | null | undefined;
  /** When it was said, as an ISO 8601 time; default: now. */
  at?: string | undefined;
  /** The same under other APIs' names; an invalid time is ignored. */
  timestamp?: unknown;
  createdAt?: unknown;
  created_at?: unknown;
  /** Calls of tools and what belongs to them, shown in the text as `[tool call: search]`. */
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
