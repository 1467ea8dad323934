import type { AgentClient, RecollectClient } from "../../client/client.ts";
import type { AdapterOptions, MemoryTrouble, Said } from "./adapter-options.ts";
import { reasonOf } from "./outage.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { unlessAbsent } from "./read-messages.ts";

/** An agent's memory, as one turn of its model uses it. */
export interface Memory {
  /** The speaker's scope. */
  readonly scope: AdapterOptions["scope"];
  /** Returns the client for one step. Its requests end when the step's time limit is reached. */
  client(): AgentClient;
  /**
   * Returns the answer of `ask`. If it fails, reports the failure and returns `instead`. Never
   * rejects.
   */
  attempt<T>(step: MemoryTrouble["step"], ask: (client: AgentClient) => Promise<T>, instead: T): Promise<T>;
  /**
   * Returns a prompt block with the memory that bears on the message; "" if there is none. Never
   * rejects.
   */
  recall(message: string): Promise<string>;
  /**
   * Stores messages. With a session, they become part of that conversation; without one, only the
   * facts that users state are stored. Messages that an outage holds back are sent with later
   * messages over the same client. Never rejects.
   *
   * @param options `capture: false`: the facts that users state are not stored
   */
  remember(session: string | undefined, words: readonly Said[], options?: { capture?: boolean }): Promise<void>;
  /**
   * Sends the messages of a conversation that wait for a later turn.
   *
   * @throws Error with the code `service_unreachable` if some still wait: the service does not have the whole conversation
   */
  settle(session: string): Promise<void>;
  report(trouble: MemoryTrouble): void;
}

/** The default time that a step of a turn waits for the memory. */
export const TIMEOUT_MS = 5000;
/** The service reads only this many characters at the end of a message. */
const MAX_MESSAGE_CHARS = 8192;
/** The maximum number of messages of one request: to append, and to capture from. */
const MAX_APPENDED = 500;
const MAX_CAPTURED = 50;

const WITHOUT = {
  recall: "The turn goes on without recalled memory.",
  history: "The turn goes on without the conversation's history.",
  tools: "The model has no memory tools.",
  capture: "Nothing was stored.",
} as const satisfies Record<MemoryTrouble["step"], string>;

/**
 * The outbox of each client. All adapters of a client share one, because a server creates adapters
 * for each conversation.
 */
const outboxes = new WeakMap<RecollectClient, Outbox>();

/** Opens the memory that an adapter's options name. Makes no request. */
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
  const conversationOf = (session: string | undefined) => JSON.stringify([agent, session, scope]);
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
      // If the agent does not exist before its first write, there is nothing to recall yet.
      const recalled = attempt(
        "recall",
        (memory) => unlessAbsent(memory.recall({ message: end, ...scoped })),
        undefined,
      );
      const { instructionsBlock = "", block = "" } = (await recalled) ?? {};
      return [instructionsBlock, block].filter((part) => part !== "").join("\n");
    },
    settle: async (session) => {
      const waiting = (await outboxes.get(service)?.flush(conversationOf(session))) ?? 0;
      if (waiting === 0) return;
      const message = `Messages of the session that are not stored yet: ${waiting}; try again when the service answers.`;
      throw Object.assign(new Error(message), { code: "service_unreachable" });
    },
    remember: async (session, words, more = {}) => {
      const outbox = outboxes.get(service) ?? createOutbox();
      outboxes.set(service, outbox);
      const told = words.filter(({ text }) => text.trim() !== "");
      const conversation = conversationOf(session);
      const size = session === undefined ? MAX_CAPTURED : MAX_APPENDED;
      for (let from = 0; from < told.length; from += size) {
        const messages = told.slice(from, from + size);
        const send = (signal: AbortSignal) => store(until(signal), session, messages, more);
        await outbox.add({ conversation, said: messages, timeoutMs, send, report });
      }
    },
  };
}

/**
 * Reports the trouble to the application. An error in the application's callback must not end the
 * turn.
 */
function tell(onTrouble: AdapterOptions["onTrouble"], trouble: MemoryTrouble): void {
  try {
    if (onTrouble) onTrouble(trouble);
    else console.warn(`Recollect: ${trouble.message}`);
  } catch (error) {
    console.error(error);
  }
}
