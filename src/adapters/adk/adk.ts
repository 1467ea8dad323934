import type { SearchInput } from "../../client/client.ts";
import { escapeForBlock } from "../../relevance/snippets/memory-block.ts";
import type { AdapterOptions, Said } from "../shared/adapter-options.ts";
import { type Memory, openMemory } from "../shared/open-memory.ts";
import { likelyHits, passageOf } from "../shared/passages.ts";

export type { AdapterOptions, MemoryTrouble } from "../shared/adapter-options.ts";

export interface MemoryServiceOptions extends Omit<AdapterOptions, "agent" | "scope"> {
  /**
   * The id of the agent that has the memory; default: `main`. If all users share one agent, a scope
   * keeps their conversations and facts apart. A scope is only a filter, so full isolation of your
   * users needs one agent for each of them, `(userId, appName) => …`.
   */
  agent?: string | ((userId: string, appName: string) => string) | undefined;
  /** The other search options, such as `maxResults` or `corpus`. */
  search?: Omit<SearchInput, "query" | "scope"> | undefined;
}

/** A `BaseMemoryService` for `new Runner({ memoryService })`. */
export interface RecollectMemoryService {
  addSessionToMemory(session: AdkSession): Promise<void>;
  searchMemory(request: { appName: string; userId: string; query: string }): Promise<{ memories: AdkMemory[] }>;
}

/** A session of the Agent Development Kit, with the fields that the service reads. */
export interface AdkSession {
  id: string;
  appName: string;
  userId: string;
  events: readonly AdkEvent[];
}

interface AdkEvent {
  id: string;
  author?: string | undefined;
  content?: { role?: string | undefined; parts?: readonly AdkPart[] | undefined } | undefined;
  partial?: boolean | undefined;
  /** Milliseconds since 1970. */
  timestamp: number;
}

interface AdkPart {
  text?: string | undefined;
  thought?: boolean | undefined;
}

/** A passage of the memory. */
export interface AdkMemory {
  content: { role: string; parts: { text: string }[] };
  author?: string;
  timestamp: string;
}

/**
 * Creates a memory service for Google's Agent Development Kit. A session becomes a conversation of
 * the memory with the user as its scope; adding it again adds only its new events. It holds the words
 * of user and agents. Calls of tools, their results and thoughts are left out. A search covers the
 * user's conversations and facts, and the agent's files; hits that are probably no answer are left
 * out. In an outage, searches find nothing, sessions are kept in this process until the next one is
 * added, and `onTrouble` is called.
 */
export function createMemoryService({ agent, search, ...options }: MemoryServiceOptions): RecollectMemoryService {
  const memoryOf = (appName: string, userId: string): Memory =>
    openMemory({
      ...options,
      agent: typeof agent === "function" ? agent(userId, appName) : agent,
      scope: { user: userId },
    });
  return {
    addSessionToMemory: ({ appName, userId, id, events }) =>
      memoryOf(appName, userId).remember(sessionKey(appName, userId, id), events.flatMap(wordsOf)),
    searchMemory: async ({ appName, userId, query }) => {
      const memory = memoryOf(appName, userId);
      const input = { ...search, scope: { user: userId } };
      const hits = await memory.attempt("recall", (client) => likelyHits(client, query, input), []);
      return {
        memories: hits.map((hit) => ({
          // The kit does not escape the text, and puts it between tags into the system prompt.
          content: { role: "user", parts: [{ text: escapeForBlock(passageOf(hit)) }] },
          author: hit.citation ?? hit.path,
          timestamp: hit.date,
        })),
      };
    },
  };
}

/** Returns the key of a session. Two users may have sessions of one id. */
function sessionKey(...parts: [appName: string, userId: string, id: string]): string {
  return `adk:${parts.map(encodeURIComponent).join("/")}`;
}

function wordsOf({ id, author, content, partial, timestamp }: AdkEvent): Said[] {
  const texts = (content?.parts ?? []).flatMap(({ text, thought }) => (text && !thought ? [text] : []));
  if (partial || texts.length === 0) return [];
  const role = author === "user" || (author === undefined && content?.role === "user") ? "user" : "assistant";
  const name = role === "assistant" && author !== undefined ? { name: author.slice(0, 200) } : {};
  const at = new Date(timestamp);
  // An event without a usable time has the time of its arrival.
  const time = Number.isNaN(at.getTime()) ? {} : { at: at.toISOString() };
  return [{ id, role, text: texts.join("\n\n"), ...time, ...name }];
}
