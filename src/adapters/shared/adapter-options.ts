import type { RecallInput, RecollectClient } from "../../client/client.ts";

/** What every adapter takes. */
export interface AdapterOptions {
  /** `createClient(…)` of a server, or `await createRecollect(…)`. */
  client: RecollectClient;
  /**
   * Whose memory; `main` unless said otherwise. Without a `scope`, all conversations of the agent are found: give each of your users a `scope`, or better an
   * agent of his own, unless they may share a memory.
   */
  agent?: string | undefined;
  /** The speaker: conversations and facts are stored for this scope, and those of other scopes are neither recalled nor found. */
  scope?: NonNullable<RecallInput["scope"]> | undefined;
  /** How long a step of a turn waits for the memory, in milliseconds; 5,000 unless said otherwise. */
  timeoutMs?: number | undefined;
  /** Is told what the turn has to do without; unless given, a line on `console.warn`. */
  onTrouble?: ((trouble: MemoryTrouble) => void) | undefined;
}

/** Something that the memory could not do for a turn, which goes on without it. */
export interface MemoryTrouble {
  /** `recall`: nothing was recalled; `history`: the conversation begins anew; `tools`: a tool failed; `capture`: not stored yet. */
  step: "recall" | "history" | "tools" | "capture";
  /** One sentence, with the reason. */
  message: string;
  error: unknown;
  /** What is not stored and will not be tried again. */
  lost?: readonly Said[];
}

/** Words of a conversation. */
export interface Said {
  /** Under a known id nothing is stored twice. */
  id: string;
  role: "user" | "assistant" | "system" | "tool";
  text: string;
  /** The speaker's name. */
  name?: string;
  /** When it was said; when it arrives unless given. */
  at?: string;
}

/** Words that are new: however often they are sent, they are stored once. */
export function said(role: Said["role"], text: string): Said {
  return { id: crypto.randomUUID(), role, text };
}
