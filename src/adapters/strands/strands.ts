import type { FactInput, SearchInput } from "../../client/client.ts";
import type { AdapterOptions, Said } from "../shared/adapter-options.ts";
import { openMemory } from "../shared/open-memory.ts";
import { likelyHits, passageOf } from "../shared/passages.ts";

export type { AdapterOptions, MemoryTrouble } from "../shared/adapter-options.ts";

export interface StrandsMemoryOptions<Extraction = boolean> extends AdapterOptions {
  /**
   * The key of the conversation. With it, messages become part of that conversation; without it, only
   * the facts that users state are stored.
   */
  session?: string | undefined;
  /** The name of the store in the tools `search_memory` and `add_memory`. Default: `recollect`. */
  name?: string | undefined;
  /** A description of the store, which the tools show the model. */
  description?: string | undefined;
  /** The maximum number of entries of a search, if the caller names none. Default: 6. */
  maxSearchResults?: number | undefined;
  /** Whether the model's tool and the framework may write. Default: true. */
  writable?: boolean | undefined;
  /**
   * When the messages of the agent are handed over. With `{ trigger: new InvocationTrigger() }` it is
   * after every turn, with `true` after every fifth. Default: `true` if the store is writable.
   */
  extraction?: Extraction | undefined;
  /** The other search options, such as `corpus` or `paths`. */
  search?: Omit<SearchInput, "query" | "scope" | "maxResults"> | undefined;
}

/** An entry of the memory. */
export interface StrandsEntry {
  content: string;
  metadata: Record<string, string | number>;
}

/** A `MemoryStore` for `new Agent({ memoryManager: { stores: [...] } })`. */
export interface StrandsMemory<Extraction = boolean> {
  readonly name: string;
  readonly description: string;
  readonly writable: boolean;
  readonly maxSearchResults: number;
  readonly extraction: Extraction | boolean;
  search(query: string, options?: { maxSearchResults?: number }): Promise<StrandsEntry[]>;
  /** @throws RecollectError */
  add(content: string, metadata?: Record<string, unknown>): Promise<{ id: string; status: string }>;
  addMessages(messages: readonly StrandsMessage[]): Promise<void>;
}

/** A message of a conversation, as Strands keeps it. */
export interface StrandsMessage {
  role: "user" | "assistant";
  content: readonly object[];
  trackingId?: string;
}

const DESCRIPTION = "Earlier conversations with the user, facts about them, and their files.";
const MAX_RESULTS = 6;
/** The maximum of one search. */
const MOST_RESULTS = 100;
/** The fields of a fact that an entry's metadata may have. */
const FACT_FIELDS = ["category", "importance", "key", "source", "subject", "tags"] as const;

/**
 * Creates a memory store for Strands. `search` covers conversations, files and facts; hits that are
 * probably no answer are left out, because Strands puts what it gets before the model unasked. `add`
 * stores a fact; a fact that is known is not stored again. `addMessages` appends to the conversation.
 * In an outage, searches find nothing, messages are kept until the next ones are added, `onTrouble` is
 * called, and `add` fails, so that the model does not believe that it has stored something.
 */
export function createStrandsMemory<Extraction = boolean>(
  options: StrandsMemoryOptions<Extraction>,
): StrandsMemory<Extraction> {
  const { name = "recollect", description = DESCRIPTION, maxSearchResults = MAX_RESULTS, writable = true } = options;
  const memory = openMemory(options);
  const { scope } = memory;
  const scoped = scope === undefined ? {} : { scope };
  return {
    name,
    description,
    writable,
    maxSearchResults,
    extraction: options.extraction ?? writable,
    search: async (query, { maxSearchResults: wanted = maxSearchResults } = {}) => {
      const maxResults = Math.max(1, Math.min(MOST_RESULTS, Math.trunc(wanted)));
      const input = { ...options.search, ...scoped, maxResults };
      const hits = await memory.attempt("recall", (client) => likelyHits(client, query, input), []);
      return hits.map((hit) => {
        const { path, score, date, source } = hit;
        return { content: passageOf(hit), metadata: { path, score, date, source } };
      });
    },
    add: async (content, metadata = {}) => {
      const { facts } = await memory.client().facts.add({ text: content, ...fieldsOf(metadata), ...scoped });
      const [stored] = facts;
      if (!stored) throw new Error("The service stored nothing.");
      return { id: stored.id, status: stored.status };
    },
    addMessages: (messages) => memory.remember(options.session, messages.flatMap(wordsOf)),
  };
}

/** Returns those fields of an entry's metadata that a fact has. The service checks them. */
function fieldsOf(metadata: Record<string, unknown>): Partial<FactInput> {
  return Object.fromEntries(FACT_FIELDS.flatMap((field) => (field in metadata ? [[field, metadata[field]]] : [])));
}

function wordsOf({ role, content, trackingId = crypto.randomUUID() }: StrandsMessage): Said[] {
  const texts = content.flatMap((block) => ("text" in block && typeof block.text === "string" ? [block.text] : []));
  return texts.length === 0 ? [] : [{ id: trackingId, role, text: texts.join("\n\n") }];
}
