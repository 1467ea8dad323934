import { captureFacts } from "../ingest/capture/capture-facts.ts";
import { ownTexts } from "../ingest/capture/own-words.ts";
import { chunkMarkdown } from "../ingest/chunk-markdown.ts";
import { factChunkHash } from "../ingest/fact-text.ts";
import { contentHash, toLines } from "../ingest/normalise.ts";
import { cutWindows } from "../ingest/session-windows.ts";
import { analyzeDocument } from "../search/analyze.ts";
import type {
  PreparedChunk,
  PreparedFile,
  PreparedWindow,
  PrepareRequest,
  ReadTurn,
  TurnRequest,
  WindowsRequest,
} from "./prepare-file.ts";

/** Runs in a worker thread: everything that costs CPU between a file's text and its rows. */
// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default function prepareFile({ content, ...settings }: PrepareRequest): PreparedFile {
  const chunks = chunkMarkdown(content, settings);
  return {
    hash: contentHash(content),
    size: Buffer.byteLength(content),
    lines: toLines(content).length,
    chunks: chunks.map((chunk) => ({ ...chunk, ...analyzeDocument(indexedText(chunk)) })),
  };
}

/** The same for windows of a session. */
export function prepareWindows({ messages, from, to, tokens, overlap }: WindowsRequest): PreparedWindow[] {
  const chunks = cutWindows(messages, { from, to }, { tokens, overlap });
  return chunks.map((chunk) => ({ ...chunk, ...analyzeDocument(indexedText(chunk)) }));
}

/** The same for facts, each of which is one chunk. */
export function prepareFacts(texts: readonly string[]): PreparedChunk[] {
  const place = { ordinal: 0, startLine: 1, endLine: 1, heading: "" };
  return texts.map((text) => ({ ...place, text, hash: factChunkHash(text), ...analyzeDocument(text) }));
}

/** What the rules find in a turn, and what of its messages is the user's own. */
export function readTurn({ messages, languages }: TurnRequest): ReadTurn {
  return { candidates: captureFacts(messages, { languages }), own: ownTexts(messages, languages) };
}

/** Both arms read a chunk under its headings: a section says what it is about in them and often nowhere else. */
function indexedText(chunk: { heading: string; text: string }): string {
  return chunk.heading === "" ? chunk.text : `${chunk.heading}\n${chunk.text}`;
}
