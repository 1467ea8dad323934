import type { InputLimit } from "../../embeddings/model-input.ts";
import type { Chunk } from "../../ingest/chunk-markdown.ts";
import type { IndexedFact } from "../../ingest/fact-text.ts";
import type { SessionChunk, TranscriptMessage } from "../../ingest/session-windows.ts";

/** A chunk with the words that the keyword arm indexes. */
export interface PreparedChunk extends Chunk {
  words: string;
  terms: string;
  /**
   * The text search configuration for the chunk's text, in an index that follows the texts'
   * languages.
   */
  language?: string;
}

export interface PreparedFile {
  hash: string;
  size: number;
  lines: number;
  chunks: PreparedChunk[];
}

export interface PrepareRequest {
  content: string;
  tokens: number;
  overlap: number;
  headings: boolean;
  /** `plain`: the text is not parsed as Markdown. Default: `markdown`. */
  format?: "markdown" | "plain";
  /** The file's path, which tells the subject of source code. Without it, only the text does. */
  path?: string;
  /**
   * The most input that the model reads of a chunk; undefined when nothing is embedded or the limit
   * is unknown.
   */
  limit?: InputLimit | undefined;
  /**
   * The languages of the index's other texts (`textLanguages`); undefined when the chunks'
   * languages are not needed.
   */
  languages?: readonly string[] | undefined;
}

/** Some windows of a session. */
export interface WindowsRequest {
  messages: readonly TranscriptMessage[];
  from: number;
  to: number;
  tokens: number;
  overlap: number;
  limit?: InputLimit | undefined;
  languages?: readonly string[] | undefined;
}

export interface FactsRequest {
  facts: readonly IndexedFact[];
  languages?: readonly string[] | undefined;
}

/** Two texts of one path. */
export interface DiffRequest {
  path: string;
  before: string;
  after: string;
}

/** A piece of a session with the words that the keyword arm indexes. */
export type PreparedWindow = PreparedChunk & SessionChunk;
