import { type AgentInputItem, type FunctionTool, type Session, tool } from "@openai/agents";
import type { Message } from "../../client/client.ts";
import { type AdapterOptions, type Said, said } from "../shared/adapter-options.ts";
import { modelTools } from "../shared/model-tools.ts";
import { type Memory, openMemory } from "../shared/open-memory.ts";
import { readMessages, unlessAbsent } from "../shared/read-messages.ts";

export type { AdapterOptions, MemoryTrouble } from "../shared/adapter-options.ts";

export interface RecollectSessionOptions extends AdapterOptions {
  /** The key of the conversation. */
  session: string;
}

/**
 * A session for `run(agent, input, { session })` that is part of the memory: other conversations
 * find it, and the statements of users become facts. It holds the words of user, assistant and
 * system. Tool calls, their results and reasoning are left out. In an outage, the session reads as
 * empty, new items are kept in this process until the next ones are added, and `onTrouble` is
 * called.
 */
export class RecollectSession implements Session {
  readonly #memory: Memory;
  readonly #session: string;

  constructor(options: RecollectSessionOptions) {
    this.#memory = openMemory(options);
    this.#session = options.session;
  }

  async getSessionId(): Promise<string> {
    return this.#session;
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const read = () => readMessages(this.#memory.client(), this.#session, { limit, scope: this.#memory.scope });
    return (await this.#memory.attempt("history", read, [])).flatMap(itemOf);
  }

  addItems(items: AgentInputItem[]): Promise<void> {
    return this.#memory.remember(this.#session, items.flatMap(wordsOf));
  }

  /**
   * Removes the last message. Deletes the session and writes it again without its last message,
   * under the same ids. Facts that were captured from the session stay. No other process may add to
   * the session meanwhile.
   *
   * @throws RecollectError, or an Error with the code `service_unreachable` if messages of the session still wait in
   *   this process. Before the session is written again, such messages would come back later. Afterwards, the session
   *   lacks them until they are sent.
   */
  async popItem(): Promise<AgentInputItem | undefined> {
    await this.#memory.settle(this.#session);
    const messages = await readMessages(this.#memory.client(), this.#session, { scope: this.#memory.scope });
    const last = messages.at(-1);
    if (!last) return undefined;
    await this.clearSession();
    await this.#memory.remember(this.#session, messages.slice(0, -1).map(again), { capture: false });
    await this.#memory.settle(this.#session);
    return itemOf(last)[0];
  }

  /**
   * Deletes the conversation. Facts that were captured from it stay.
   *
   * @throws RecollectError when the conversation may not be deleted
   */
  async clearSession(): Promise<void> {
    await this.#memory.settle(this.#session);
    await unlessAbsent(this.#memory.client().sessions.delete(this.#session));
  }
}

/**
 * Returns the memory's tools for `new Agent({ tools })`, and the section of the instructions that
 * says when to use them. Both are empty in an outage.
 */
export async function recollectTools(options: AdapterOptions): Promise<{ tools: FunctionTool[]; prompt: string }> {
  const { tools, prompt } = await modelTools(options);
  return {
    tools: tools.map(({ name, description, inputSchema: { properties = {}, required = [] }, call }) =>
      tool({
        name,
        description,
        strict: false,
        // The service validates the input. The input has optional fields, which strict schemas do
        // not allow.
        parameters: { type: "object", properties, required, additionalProperties: true },
        execute: call,
      }),
    ),
    prompt,
  };
}

function wordsOf(item: AgentInputItem): Said[] {
  if (!("role" in item)) return [];
  const { role, content } = item;
  if (typeof content === "string") return [said(role, content)];
  const texts = content.flatMap((part) => ("text" in part ? [part.text] : "refusal" in part ? [part.refusal] : []));
  return [said(role, texts.join("\n\n"))];
}

function again({ id = crypto.randomUUID(), role, text, name, at }: Message): Said {
  return { id, role, text, at, ...(name === undefined ? {} : { name }) };
}

function itemOf({ role, text }: Message): AgentInputItem[] {
  if (role === "user" || role === "system") return [{ type: "message", role, content: text }];
  const content = [{ type: "output_text" as const, text }];
  return role === "assistant" ? [{ type: "message", role, status: "completed", content }] : [];
}
