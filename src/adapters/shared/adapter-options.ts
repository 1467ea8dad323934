import type { RecallInput, RecollectClient } from "../../client/client.ts";

/** The options that every adapter takes. */
export interface AdapterOptions {
  /** The client: `createClient(…)` for a server, or `await createRecollect(…)`. */
  client: RecollectClient;
  /**
   * The id of the agent that has the memory; default: `main`. Without a `scope`, all conversations
   * of the agent are found. Give each of your users a `scope`, or better an agent of their own,
   * unless they may share a memory.
   */
  agent?: string | undefined;
  /**
   * The speaker. Conversations and facts are stored for this scope. Conversations and facts of
   * other scopes are neither recalled nor found.
   */
  scope?: NonNullable<RecallInput["scope"]> | undefined;
  /** The time that a step of a turn waits for the memory, in milliseconds; default: 5,000. */
  timeoutMs?: number | undefined;
  /**
   * Called when a turn has to continue without the memory. Default: writes a line to
   * `console.warn`.
   */
  onTrouble?: ((trouble: MemoryTrouble) => void) | undefined;
}

/** A failure of the memory in a turn. The turn continues without the memory. */
export interface MemoryTrouble {
  /**
   * `recall`: nothing was recalled; `history`: the conversation begins anew; `tools`: a tool
   * failed; `capture`: not stored yet.
   */
  step: "recall" | "history" | "tools" | "capture";
  /** One sentence that includes the reason. */
  message: string;
  error: unknown;
  /** The messages that are not stored and will not be sent again. */
  lost?: readonly Said[];
}

/** One message of a conversation. */
export interface Said {
  /** The message's id. A message with a known id is not stored again. */
  id: string;
  role: "user" | "assistant" | "system" | "tool";
  text: string;
  /** The speaker's name. */
  name?: string;
  /** The time of the message; default: the time of its arrival. */
  at?: string;
}

/**
 * Returns a new message. Its new id makes sure that it is stored once, however often it is sent.
 */
export function said(role: Said["role"], text: string): Said {
  return { id: crypto.randomUUID(), role, text };
}
