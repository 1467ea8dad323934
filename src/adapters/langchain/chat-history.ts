import { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { type AdapterOptions, said } from "../shared/adapter-options.ts";
import { type Memory, openMemory } from "../shared/open-memory.ts";
import { readMessages, unlessAbsent } from "../shared/read-messages.ts";

export interface RecollectChatHistoryInput extends AdapterOptions {
  /** The key of the conversation. */
  session: string;
  /** The number of last messages to read; default: all. */
  maxMessages?: number | undefined;
}

const ROLES = { human: "user", ai: "assistant", system: "system" } as const;
const isSaid = (type: string): type is keyof typeof ROLES => Object.hasOwn(ROLES, type);

/**
 * A conversation that is part of the memory: other conversations find it, and the statements of
 * users become facts. It holds the words of user, assistant and system. Tool calls and their
 * results are left out. In an outage, the conversation reads as empty, new messages are kept in
 * this process until the next ones are added, and `onTrouble` is called.
 */
export class RecollectChatHistory extends BaseListChatMessageHistory {
  override lc_namespace = ["recollect", "chat_history"];
  readonly #memory: Memory;
  readonly #session: string;
  readonly #maxMessages: number | undefined;

  constructor(fields: RecollectChatHistoryInput) {
    super();
    this.#memory = openMemory(fields);
    this.#session = fields.session;
    this.#maxMessages = fields.maxMessages;
  }

  static override lc_name(): string {
    return "RecollectChatHistory";
  }

  override async getMessages(): Promise<BaseMessage[]> {
    const { scope } = this.#memory;
    const read = () => readMessages(this.#memory.client(), this.#session, { limit: this.#maxMessages, scope });
    const messages = await this.#memory.attempt("history", read, []);
    return messages.flatMap(({ role, text }): BaseMessage[] => {
      if (role === "user") return [new HumanMessage(text)];
      if (role === "assistant") return [new AIMessage(text)];
      return role === "system" ? [new SystemMessage(text)] : [];
    });
  }

  override addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  override addMessages(messages: BaseMessage[]): Promise<void> {
    const words = messages.flatMap(({ type, text }) => (isSaid(type) ? [said(ROLES[type], text)] : []));
    return this.#memory.remember(this.#session, words);
  }

  /**
   * Deletes the conversation. Facts that were captured from it stay.
   *
   * @throws RecollectError when the conversation may not be deleted
   */
  override async clear(): Promise<void> {
    await unlessAbsent(this.#memory.client().sessions.delete(this.#session));
  }
}
