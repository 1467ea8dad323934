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
   * Whose memory. Conversations and facts are for the resource alone in any case, by a scope, which is a filter. Only an agent for each of your
   * users, `(resource) => …`, isolates them.
   */
  agent: string | ((resourceId: string) => string);
}

const ID = "recollect";

/**
 * Mastra's memory with Recollect in the place of semantic recall: it needs no vector store and no embedder. Threads and their messages
 * stay in Mastra's `storage`. Before a run, what the user's message recalls from all threads comes before it in the prompt; after the
 * run, what was said becomes part of Recollect's session of the thread's id. A run never fails for want of Recollect; `onTrouble` is
 * told instead.
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
        // As a user's message: what was remembered has less authority than the system. Context is not stored with the thread.
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

  /** Deletes the thread, and its session in Recollect; facts that were captured from it stay. @throws RecollectError */
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

/** Messages that arrive while an agent runs are signals until the model sees them. */
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

/** A message that stands before another one. */
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
