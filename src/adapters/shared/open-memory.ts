import type { AgentClient, RecollectClient } from "../../client/client.ts";
import type { AdapterOptions, MemoryTrouble, Said } from "./adapter-options.ts";
import { reasonOf } from "./outage.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { unlessAbsent } from "./read-messages.ts";

/** An agent's memory as a turn of its model uses it. */
export interface Memory {
  /** The speaker. */
  readonly scope: AdapterOptions["scope"];
  /** The client, for one step: its requests end when the turn's patience does. */
  client(): AgentClient;
  /** What is asked for, or what stands in for it in an outage, which is reported. Never rejects. */
  attempt<T>(step: MemoryTrouble["step"], ask: (client: AgentClient) => Promise<T>, instead: T): Promise<T>;
  /** A block for the prompt with what the message recalls; "" when it recalls nothing. Never rejects. */
  recall(message: string): Promise<string>;
  /**
   * Stores what was said: with a session as a part of that conversation, else only the facts that users state. What an outage holds
   * back is sent with later words over the same client. Never rejects.
   *
   * @param options `capture: false`: facts that users state are not stored
   */
  remember(session: string | undefined, words: readonly Said[], options?: { capture?: boolean }): Promise<void>;
  report(trouble: MemoryTrouble): void;
}

/** How long a step of a turn waits unless told otherwise. */
export const TIMEOUT_MS = 5000;
/** The service looks at the end of a message, and at no more. */
const MAX_MESSAGE_CHARS = 8192;
/** Most messages of one request: to append, and to capture from. */
const MAX_APPENDED = 500;
const MAX_CAPTURED = 50;

const WITHOUT = {
  recall: "The turn goes on without recalled memory.",
  history: "The turn goes on without the conversation's history.",
  tools: "The model has no memory tools.",
  capture: "Nothing was stored.",
} as const satisfies Record<MemoryTrouble["step"], string>;

/** One per client, however many adapters use it: a server makes adapters for each conversation. */
const outboxes = new WeakMap<RecollectClient, Outbox>();

/** The memory that an adapter's options name. Makes no request. */
export function openMemory(options: AdapterOptions): Memory {
  const { client: service, agent = "main", scope, timeoutMs = TIMEOUT_MS } = options;
  const until = (signal: AbortSignal) => service.agent(agent, { signal });
  const client = () => until(AbortSignal.timeout(timeoutMs));
  const report = (trouble: MemoryTrouble) => tell(options.onTrouble, trouble);
  const attempt: Memory["attempt"] = async (step, ask, instead) => {
    try {
      return await ask(client());
    } catch (error) {
      report({ step, message: `${WITHOUT[step]} ${reasonOf(error)}`, error });
      return instead;
    }
  };
  const scoped = scope === undefined ? {} : { scope };
  const store = (memory: AgentClient, session: string | undefined, messages: Said[], more: { capture?: boolean }) =>
    session === undefined
      ? memory.capture({ messages, ...scoped })
      : memory.sessions.append({ session, messages, ...scoped, ...more });
  return {
    scope,
    client,
    attempt,
    report,
    recall: async (message) => {
      const end = message.slice(-MAX_MESSAGE_CHARS).toWellFormed();
      if (end.trim() === "") return "";
      // An agent that the first write makes has nothing to recall yet.
      const recalled = attempt(
        "recall",
        (memory) => unlessAbsent(memory.recall({ message: end, ...scoped })),
        undefined,
      );
      return (await recalled)?.block ?? "";
    },
    remember: async (session, words, more = {}) => {
      const outbox = outboxes.get(service) ?? createOutbox();
      outboxes.set(service, outbox);
      const told = words.filter(({ text }) => text.trim() !== "");
      const conversation = JSON.stringify([agent, session, scope]);
      const size = session === undefined ? MAX_CAPTURED : MAX_APPENDED;
      for (let from = 0; from < told.length; from += size) {
        const messages = told.slice(from, from + size);
        const send = (signal: AbortSignal) => store(until(signal), session, messages, more);
        await outbox.add({ conversation, said: messages, timeoutMs, send, report });
      }
    },
  };
}

/** Tells the application. Its own failure to listen is no reason to end the turn. */
function tell(onTrouble: AdapterOptions["onTrouble"], trouble: MemoryTrouble): void {
  try {
    if (onTrouble) onTrouble(trouble);
    else console.warn(`Recollect: ${trouble.message}`);
  } catch (error) {
    console.error(error);
  }
}
