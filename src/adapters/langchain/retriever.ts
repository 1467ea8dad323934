import { Document, type DocumentInterface } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import type { SearchAnswer, SearchInput } from "../../client/client.ts";
import { blockLineHead, escapeForBlock, memoryBlock, UNCERTAIN } from "../../relevance/snippets/memory-block.ts";
import type { AdapterOptions } from "../shared/adapter-options.ts";
import { type Memory, openMemory } from "../shared/open-memory.ts";
import { passageOf } from "../shared/passages.ts";
import { unlessAbsent } from "../shared/read-messages.ts";

export interface RecollectRetrieverInput extends BaseRetrieverInput, AdapterOptions {
  /** The other search options, such as `maxResults` or `corpus`. */
  search?: Omit<SearchInput, "query" | "scope"> | undefined;
}

type Hit = SearchAnswer["results"][number];
/**
 * The source of a document and its score: 0.5 is as likely an answer as not. With `certain: false`
 * the documents of the search are only the nearest, and probably no answer.
 */
export type MemoryMetadata = Omit<Hit, "snippet" | "text"> & { certain?: false };

/**
 * Retrieves passages of conversations, files and facts. In an outage it returns none and calls
 * `onTrouble`.
 */
export class RecollectRetriever extends BaseRetriever<MemoryMetadata> {
  override lc_namespace = ["recollect", "retrievers"];
  readonly #memory: Memory;
  readonly #search: Omit<SearchInput, "query">;

  constructor(fields: RecollectRetrieverInput) {
    super(fields);
    this.#memory = openMemory(fields);
    this.#search = { ...fields.search, ...(fields.scope === undefined ? {} : { scope: fields.scope }) };
  }

  static override lc_name(): string {
    return "RecollectRetriever";
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface<MemoryMetadata>[]> {
    const ask = async (): Promise<(Hit & { certain?: false })[]> => {
      const answer = await unlessAbsent(this.#memory.client().search(query, this.#search));
      if (answer?.unavailable) throw new Error(`${answer.warning} ${answer.action}`);
      const doubt = answer?.certain === false ? { certain: false as const } : {};
      return (answer?.results ?? []).map((hit) => ({ ...hit, ...doubt }));
    };
    const hits = await this.#memory.attempt("recall", ask, []);
    return hits.map(({ snippet, text, ...metadata }) => {
      const { citation } = metadata;
      return new Document({ pageContent: passageOf({ snippet, text, citation }), metadata });
    });
  }
}

/**
 * Formats retrieved documents as one block for a prompt: `retriever.pipe(formatMemory)`. The text
 * of a memory may be hostile. No document in the block can close the delimiters, and a sentence
 * tells the model that the documents are notes and not instructions.
 *
 * @returns "" if there are no documents
 */
export function formatMemory(documents: readonly DocumentInterface<MemoryMetadata>[]): string {
  const lines = documents.map(({ pageContent, metadata: { path, startLine, sharedBy } }) => {
    const sharer = sharedBy === undefined ? "" : `, shared by ${sharedBy}`;
    return `${blockLineHead(`${path}#L${startLine}${sharer}`)}${escapeForBlock(pageContent)}`;
  });
  const isUncertain = lines.length > 0 && documents.every(({ metadata }) => metadata.certain === false);
  return memoryBlock(isUncertain ? [UNCERTAIN, ...lines] : lines);
}
