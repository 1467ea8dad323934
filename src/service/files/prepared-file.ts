import type { InputLimit } from "../../embeddings/model-input.ts";
import type { FactCandidate } from "../../ingest/capture/fact-candidate.ts";
import type { CaptureLanguage } from "../../ingest/capture/languages.ts";
import type { CaptureMessage } from "../../ingest/capture/readable-texts.ts";
import type { Chunk } from "../../ingest/chunk-markdown.ts";
import type { IndexedFact } from "../../ingest/fact-text.ts";
import type { SessionChunk, TranscriptMessage } from "../../ingest/session-windows.ts";

/** A chunk with what the keyword arm indexes of it. */
export interface PreparedChunk extends Chunk {
  words: string;
  terms: string;
  /** The text search configuration of its text, for an index that follows it. */
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
  /** `plain`: no Markdown is read. Default `markdown`. */
  format?: "markdown" | "plain";
  /** The file's path, which says what source code is about; without, its text alone does. */
  path?: string;
  /** What the model reads of a chunk; undefined: nothing is embedded, or it is not known. */
  limit?: InputLimit | undefined;
  /** The languages of the index's other texts (`textLanguages`); undefined: the chunks' own need not be known. */
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

/** The messages of a turn, and the languages to read them in. */
export interface TurnRequest {
  messages: readonly CaptureMessage[];
  languages: readonly CaptureLanguage[];
}

export interface ReadTurn {
  /** What the rules have found. */
  candidates: FactCandidate[];
  /** Of each message what is the user's own; the rest is masked. */
  own: string[];
}

/** Two texts of one path. */
export interface DiffRequest {
  path: string;
  before: string;
  after: string;
}

/** A piece of a session with what the keyword arm indexes of it. */
export type PreparedWindow = PreparedChunk & SessionChunk;
