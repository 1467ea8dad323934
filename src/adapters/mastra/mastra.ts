import type { MastraDBMessage } from "@mastra/core/agent";
import { parseMemoryRequestContext } from "@mastra/core/memory";
import type { InputProcessor, OutputProcessor } from "@mastra/core/processors";
import { Memory } from "@mastra/memory";
import type { AdapterOptions, Said } from "../shared/adapter-options.ts";
import { type Memory as AgentMemory, openMemory } from "../shared/open-memory.ts";
import { unlessAbsent } from "../shared/read-messages.ts";

export type { AdapterOptions, MemoryTrouble } from "../shared/adapter-options.ts";

type MemoryConfig = NonNullable<ConstructorParameters<typeof Memory>[0]>;

export interface RecollectMemoryConfig extends MemoryConfig, Omit<AdapterOptions, "agent" | "scope"> {
  /**
   * The id of the agent that has the memory. If all resources share one agent, a scope keeps the
   * conversations and facts of each resource apart. A scope is only a filter, so full isolation of
   * your users needs one agent for each of them, `(resource) => …`.
   */
  agent: string | ((resourceId: string) => string);
}

const ID = "recollect";

/**
 * Mastra's memory with Recollect instead of semantic recall, so it needs no vector store and no
 * embedder. Threads and their messages stay in Mastra's `storage`. Before a run, the memory of all
 * threads is searched with the user's message, and the result is put before the message in the
 * prompt. After the run, the new messages are added to the Recollect session that has the thread's
 * id. A failure of Recollect never fails a run; `onTrouble` is called instead.
 */
export class RecollectMemory extends Memory {
  readonly #options: Pick<RecollectMemoryConfig, "client" | "agent" | "timeoutMs" | "onTrouble">;

  constructor({ client, agent, timeoutMs, onTrouble, ...config }: RecollectMemoryConfig) {
    super(config);
    this.#options = { client, agent, timeoutMs, onTrouble };
  }

  override async getInputProcessors(
    ...given: Parameters<Memory["getInputProcessors"]>
  ): Promise<Awaited<ReturnType<Memory["getInputProcessors"]>>> {
    const recall: InputProcessor = {
      id: ID,
      processInput: async ({ messageList, requestContext }) => {
        const asked = messageList.get.input.db().findLast(isUsers);
        const resourceId = parseMemoryRequestContext(requestContext)?.resourceId;
        const block = asked && resourceId !== undefined ? await this.#of(resourceId).recall(textOf(asked)) : "";
        // The recalled text is added as a user's message, because it must have less authority than
        // the system prompt. A context message is not stored with the thread.
        if (asked && block !== "") messageList.add([before(asked, block)], "context");
        return messageList;
      },
    };
    return [...(await super.getInputProcessors(...given)), recall];
  }

  override async getOutputProcessors(
    ...given: Parameters<Memory["getOutputProcessors"]>
  ): Promise<Awaited<ReturnType<Memory["getOutputProcessors"]>>> {
    const remember: OutputProcessor = {
      id: ID,
      processOutputResult: async ({ messageList, requestContext }) => {
        const { thread, resourceId, memoryConfig } = parseMemoryRequestContext(requestContext) ?? {};
        const isKept = !this.getMergedThreadConfig(memoryConfig).readOnly;
        if (!thread || resourceId === undefined || !isKept) return messageList;
        const { input, response } = messageList.get;
        const words = [...input.db().filter(isUsers).map(saidBy("user")), ...response.db().map(saidBy("assistant"))];
        await this.#of(resourceId).remember(thread.id, words);
        return messageList;
      },
    };
    return [...(await super.getOutputProcessors(...given)), remember];
  }

  /**
   * Deletes the thread and its session in Recollect. Facts that were captured from the thread stay.
   *
   * @throws RecollectError
   */
  override async deleteThread(threadId: string): Promise<void> {
    const thread = await this.getThreadById({ threadId });
    if (thread) await unlessAbsent(this.#of(thread.resourceId).client().sessions.delete(threadId));
    await super.deleteThread(threadId);
  }

  #of(resourceId: string): AgentMemory {
    const { agent, ...options } = this.#options;
    const id = typeof agent === "string" ? agent : agent(resourceId);
    return openMemory({ ...options, agent: id, scope: { user: resourceId } });
  }
}

/**
 * Returns whether a message is a user's. Messages that arrive while an agent runs have the role
 * `signal` until the model sees them.
 */
function isUsers({ role, content }: MastraDBMessage): boolean {
  const { type } = (content.metadata?.signal ?? {}) as { type?: unknown };
  return role === "user" || (role === "signal" && (type === "user" || type === "user-message"));
}

function saidBy(role: Said["role"]): (message: MastraDBMessage) => Said {
  return (message) => ({ id: message.id, role, text: textOf(message) });
}

function textOf({ content }: MastraDBMessage): string {
  return content.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

/** Creates a user's message that stands just before another message. */
function before({ createdAt, threadId, resourceId }: MastraDBMessage, text: string): MastraDBMessage {
  return {
    id: crypto.randomUUID(),
    role: "user",
    createdAt: new Date(createdAt.getTime() - 1),
    content: { format: 2, parts: [{ type: "text", text }] },
    ...(threadId === undefined ? {} : { threadId }),
    ...(resourceId === undefined ? {} : { resourceId }),
  };
}
