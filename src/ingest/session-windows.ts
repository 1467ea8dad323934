import { type Chunk, chunkMarkdown } from "./chunk-markdown.ts";
import type { TokenLimit } from "./estimate-tokens.ts";
import { indexedText } from "./machine-text.ts";
import { contentHash, toLines } from "./normalise.ts";

/**
 * The messages of one window, and how many of them the next window repeats. Windows of two to five
 * messages give similar search results. A window of three still fits a snippet, and the shown hit
 * grows by the messages around it (relevance/ranking/join-hits.ts).
 */
export const WINDOW_MESSAGES = 3;
const WINDOW_OVERLAP = 1;
const STRIDE = WINDOW_MESSAGES - WINDOW_OVERLAP;

/** The generation's chunk size, and its model's token limit. */
interface WindowSettings {
  readonly tokens: number;
  readonly overlap: number;
  readonly limit?: TokenLimit | undefined;
}

/**
 * A piece of a session. `ordinal` is the number of its window; the pieces of a long window share
 * it.
 */
export interface SessionChunk extends Chunk {
  /** The numbers of the first and the last message with text in this piece. */
  readonly firstMessage: number;
  readonly lastMessage: number;
}

/** Returns the numbers of a window's first and last message, whether or not the messages exist. */
export function windowRange(window: number): { first: number; last: number } {
  const first = window * STRIDE + 1;
  return { first, last: first + WINDOW_MESSAGES - 1 };
}

/**
 * Returns the first window that changes when messages are added to an index that covers messages up
 * to `indexedSeq`.
 */
export function firstChangedWindow(indexedSeq: number): number {
  return Math.max(0, Math.ceil((indexedSeq - WINDOW_MESSAGES + 1) / STRIDE));
}

/** Returns the last window that a message belongs to. */
export function lastWindowOf(seq: number): number {
  return Math.floor((seq - 1) / STRIDE);
}

/** Returns the last window whose numbers are all assigned once `seq` is; -1 when there is none. */
export function lastCompleteWindow(seq: number): number {
  return Math.floor((seq - WINDOW_MESSAGES) / STRIDE);
}

/**
 * Cuts the windows `from`..`to` of a session into chunks. A window is three consecutive numbers. It
 * begins with the last message of the window before, so that a question and its answer are together
 * even at a border. A window's place depends only on the numbers, so the result does not depend on
 * when a session was indexed. A window that contains only the message that it shares with the
 * window before is left out. Parts of messages that a program wrote are left out, too.
 *
 * A window above the generation's chunk size is cut between messages, then between paragraphs, and
 * so on. A piece that begins inside a message has the speaker as its heading.
 *
 * @param messages all existing messages of these windows, in order
 */
export function cutWindows(
  messages: readonly TranscriptMessage[],
  range: { from: number; to: number },
  settings: WindowSettings,
): SessionChunk[] {
  const chunks: SessionChunk[] = [];
  let start = 0;
  for (let window = range.from; window <= range.to; window++) {
    const { first, last } = windowRange(window);
    while ((messages[start]?.seq ?? Number.POSITIVE_INFINITY) < first) start++;
    const inside: TranscriptMessage[] = [];
    for (let at = start; (messages[at]?.seq ?? Number.POSITIVE_INFINITY) <= last; at++) {
      const message = messages[at] as TranscriptMessage;
      const text = indexedText(message);
      if (text !== undefined) inside.push({ ...message, text });
    }
    const hasItsOwn = inside.some((message) => window === 0 || message.seq >= first + WINDOW_OVERLAP);
    if (hasItsOwn) chunks.push(...cutWindow(window, inside, settings));
  }
  return chunks;
}

/** A line of the chunker's input with its message; undefined: a blank line between two messages. */
type PlacedLine = { text: string; message: TranscriptMessage; line: number } | undefined;

function cutWindow(window: number, messages: readonly TranscriptMessage[], settings: WindowSettings): SessionChunk[] {
  // The blank lines show the chunker where messages end. They are removed from its chunks.
  const placed: PlacedLine[] = messages.flatMap((message, index) => {
    const lines = renderMessage(message).map((text, n) => ({ text, message, line: message.firstLine + n }));
    return index === 0 ? lines : [undefined, ...lines];
  });
  const spaced = placed.map((line) => line?.text ?? "").join("\n");
  const limit = settings.limit && besideSpeakers(settings.limit, messages);
  return chunkMarkdown(spaced, { ...settings, limit, format: "plain" }).flatMap((chunk) => {
    const [from, to] = [placed[chunk.startLine - 1], placed[chunk.endLine - 1]];
    // Chunks begin and end at lines that are not blank.
    if (!from || !to) return [];
    const kept = chunk.text.split("\n").filter((_, n) => placed[chunk.startLine - 1 + n] !== undefined);
    const text = kept.join("\n");
    const speaker = `${speakerOf(from.message)}:`;
    const heading = from.line === from.message.firstLine && text.startsWith(speaker) ? "" : speaker;
    const lines = { startLine: from.line, endLine: to.line };
    const places = { firstMessage: from.message.seq, lastMessage: to.message.seq };
    return [{ ordinal: window, ...lines, heading, text, hash: contentHash(`${heading}\n${text}`), ...places }];
  });
}

/** Returns the limit minus the longest heading that a piece may get. */
function besideSpeakers(limit: TokenLimit, messages: readonly TranscriptMessage[]): TokenLimit {
  const longest = Math.max(0, ...messages.map((message) => limit.count(`${speakerOf(message)}:`)));
  return { ...limit, tokens: Math.max(limit.tokens / 4, limit.tokens - longest) };
}

/** The fields of a message that the transcript shows. */
export interface TranscriptMessage {
  /** 1, 2, 3, … in the order of arrival; the numbers of removed messages are missing. */
  readonly seq: number;
  readonly role: string;
  readonly name: string | null;
  readonly text: string;
  /** The 1-based line of the transcript on which the message begins. */
  readonly firstLine: number;
}

/** Returns a message's text in its stored form: the lines of `toLines`, joined by LF. */
export function normaliseMessage(text: string): string {
  return toLines(text).join("\n");
}

/**
 * Returns the speaker: the name, else the role. A message is embedded with its speaker; without the
 * speaker, questions about a person reached nDCG@10 0.190 instead of 0.310 (LoCoMo).
 */
function speakerOf(message: Pick<TranscriptMessage, "role" | "name">): string {
  return message.name ?? message.role;
}

/**
 * Writes a message as lines of the transcript, `Speaker: text`. Only the first line names the
 * speaker.
 */
export function renderMessage(message: Pick<TranscriptMessage, "role" | "name" | "text">): string[] {
  return `${speakerOf(message)}: ${message.text}`.split("\n");
}
