import { countTokens, type InputLimit } from "../../embeddings/model-input.ts";
import { chunkMarkdown, titleOf } from "../../ingest/chunk-markdown.ts";
import type { TokenLimit } from "../../ingest/estimate-tokens.ts";
import { factChunkHash, factHeading } from "../../ingest/fact-text.ts";
import { contentHash, toLines } from "../../ingest/normalise.ts";
import { cutWindows } from "../../ingest/session-windows.ts";
import { analyzeDocument } from "../../relevance/words/analyze.ts";
import { languageOf } from "../../relevance/words/text-language.ts";
import type {
  DiffRequest,
  FactsRequest,
  PreparedChunk,
  PreparedFile,
  PreparedWindow,
  PrepareRequest,
  WindowsRequest,
} from "./prepared-file.ts";
import { type UnifiedDiff, unifiedDiff } from "./unified-diff.ts";

/** Prepares a file in a worker thread: does all CPU work between the file's text and its rows. */
// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default function prepareFile({
  content,
  path = "",
  limit,
  languages,
  ...settings
}: PrepareRequest): PreparedFile {
  const chunks = chunkMarkdown(content, { ...settings, title: titleOf(path), limit: limitFor(settings, limit) });
  const language = languageFinder(languages, chunks);
  return {
    hash: contentHash(content),
    size: Buffer.byteLength(content),
    lines: toLines(content).length,
    chunks: chunks.map(({ keywords = "", ...chunk }) => ({
      ...chunk,
      ...analyzeDocument(indexedText(chunk, keywords)),
      ...language(chunk),
    })),
  };
}

/** Prepares windows of a session as `prepareFile` prepares a file. */
export function prepareWindows(request: WindowsRequest): PreparedWindow[] {
  const { messages, from, to, tokens, overlap, limit, languages } = request;
  const chunks = cutWindows(messages, { from, to }, { tokens, overlap, limit: limitFor({ tokens }, limit) });
  const language = languageFinder(languages, chunks);
  return chunks.map((chunk) => ({ ...chunk, ...analyzeDocument(indexedText(chunk)), ...language(chunk) }));
}

/** Prepares facts as `prepareFile` prepares a file. Each fact is one chunk. */
export function prepareFacts({ facts, languages }: FactsRequest): PreparedChunk[] {
  // The facts of one call may have different languages, so the language of one is not derived from
  // the others.
  const language = languageFinder(languages, []);
  return facts.map((fact) => {
    const chunk = { ordinal: 0, startLine: 1, endLine: 1, heading: factHeading(fact), text: fact.text };
    return { ...chunk, hash: factChunkHash(fact), ...analyzeDocument(indexedText(chunk)), ...language(chunk) };
  });
}

/**
 * Makes a function that detects the language of a chunk. A short text takes the language of the
 * texts around it: first the other chunks of its file or session, then the other texts of the
 * index.
 */
function languageFinder(languages: readonly string[] | undefined, chunks: readonly { text: string }[]) {
  if (!languages) return () => ({});
  let known: readonly string[] | undefined;
  const around = () => {
    known ??= chunks.length > 1 ? [languageOf(textOf(chunks), languages), ...languages] : languages;
    return known;
  };
  return ({ text }: { text: string }) => ({ language: languageOf(text, around) });
}

function textOf(chunks: readonly { text: string }[]): string {
  return chunks.map(({ text }) => text).join("\n");
}

/** Returns the difference between two texts. */
export function compareTexts({ path, before, after }: DiffRequest): UnifiedDiff {
  return unifiedDiff(path, before, after);
}

/** The most characters of a heading path. A character is estimated at one token at most. */
const MOST_OF_HEADING = 300;

/**
 * Returns the limit, unless chunks of this size cannot exceed it: an estimate is at most twice the
 * size that chunking counts.
 */
function limitFor({ tokens }: { tokens: number }, limit: InputLimit | undefined): TokenLimit | undefined {
  if (!limit) return undefined;
  if (limit.tokenizerPath === undefined && 2 * tokens + MOST_OF_HEADING <= limit.tokens) return undefined;
  return { tokens: limit.tokens, count: countTokens(limit) };
}

/**
 * Returns the text that is indexed for a chunk. Both arms index a chunk with its headings, since a
 * section often names its subject nowhere else. The keywords are only for the keyword arm.
 */
function indexedText({ heading, text }: { heading: string; text: string }, keywords = ""): string {
  return [heading, keywords, text].filter((part) => part !== "").join("\n");
}
