import { stat } from "node:fs/promises";
import type { AgentClient } from "../../client/agent-client.ts";
import { codeOf, sentenceOf } from "../shell/problem.ts";
import { type FileCursor, type FileLine, readLines } from "../shell/read-lines.ts";
import { type ParsedLine, parseTranscriptLine, type TranscriptMessage } from "./transcript-line.ts";

/** Where the messages of a transcript go. */
export interface TranscriptTarget {
  memory: AgentClient;
  /** Its key. */
  session: string;
  /** false: nothing is captured; else as the agent's settings say. */
  captures?: boolean;
}

export interface TranscriptSent {
  /** Messages that the server stored. */
  sent: number;
  /** Facts that the server captured. */
  captured: number;
  /** Messages it had already, and those older than it keeps them. */
  duplicates: number;
  expired: number;
  /** Lines without a message: tool calls, notes about the session, empty ones. */
  skipped: number;
  /** Lines that could not be read or were refused. */
  bad: { line: number; reason: string }[];
  /** Whether the last line is cut off; it is read again from `cursor`. */
  incomplete: boolean;
  /** What the server said of indexing last; undefined: nothing was sent. */
  indexing: "done" | "queued" | "off" | undefined;
  /** Where to go on when the file has grown. */
  cursor: FileCursor;
}

/** The server takes 500 messages and 8 MB of JSON, in which a character may need six bytes. */
const BATCH_MESSAGES = 200;
const BATCH_CHARS = 1_000_000;
/** Refusals that one message of a batch can cause for all of it. */
const ABOUT_A_MESSAGE = new Set(["invalid_request", "invalid_encoding", "payload_too_large"]);
const START: FileCursor = { offset: 0, line: 0 };

type NumberedMessage = TranscriptMessage & { line: number };

/**
 * Appends what a JSONL transcript has to a session. Sent again it does no harm: each message has an id, and without a cursor
 * only what stands behind the session's last message is sent. A file that is shorter than the cursor was written anew.
 *
 * @param options.from the `cursor` of the call before
 * @param options.end whether the conversation is over, so that the server indexes it at once
 * @throws RecollectError when the service cannot be reached or refuses for a reason that is no single message's; a file system
 *   error when the file cannot be read
 */
export async function sendTranscript(
  target: TranscriptTarget,
  file: string,
  options: { from?: FileCursor; end?: boolean } = {},
): Promise<TranscriptSent> {
  const { size } = await stat(file);
  const isGrown = options.from !== undefined && size >= options.from.offset;
  const from = isGrown && options.from ? options.from : await findStart(target, file);
  const empty = {
    sent: 0,
    captured: 0,
    duplicates: 0,
    expired: 0,
    skipped: 0,
    bad: [],
    incomplete: false,
    indexing: undefined,
  };
  const result: TranscriptSent = { ...empty, cursor: from };
  let batch: NumberedMessage[] = [];
  let chars = 0;
  for await (const line of readLines(file, from)) {
    const parsed = parse(line);
    if (!line.isWhole && "bad" in parsed) {
      result.incomplete = true;
      break;
    }
    result.cursor = line.cursor;
    if ("skipped" in parsed) result.skipped++;
    if ("bad" in parsed) result.bad.push({ line: line.number, reason: parsed.bad });
    if (!("message" in parsed)) continue;
    const { text } = parsed.message;
    if (batch.length === BATCH_MESSAGES || (batch.length > 0 && chars + text.length > BATCH_CHARS)) {
      await send(target, batch, false, result);
      [batch, chars] = [[], 0];
    }
    batch.push({ ...parsed.message, line: line.number });
    chars += text.length;
  }
  await send(target, batch, options.end ?? false, result);
  return result;
}

/** Behind the line of the last message that the session has; the start when the file has no such line. */
async function findStart({ memory, session }: TranscriptTarget, file: string): Promise<FileCursor> {
  let lastId: string | null;
  try {
    ({ lastMessageId: lastId } = await memory.sessions.get(session, { limit: 1 }));
  } catch (error) {
    if (["session_not_found", "agent_not_found"].includes(codeOf(error) ?? "")) return START;
    throw error;
  }
  let found = START;
  if (lastId === null) return found;
  for await (const line of readLines(file, START)) {
    const parsed = parse(line);
    if ("message" in parsed && parsed.message.id === lastId) found = line.cursor;
  }
  return found;
}

function parse(line: FileLine): ParsedLine {
  if (line.text === undefined) return { bad: line.problem ?? "unreadable" };
  // A byte order mark is no JSON.
  const text = line.number === 1 ? line.text.replace(/^\ufeff/, "") : line.text;
  return parseTranscriptLine(text, line.number);
}

/** A batch is all or nothing: one that is refused is halved until the message that it is refused for stands alone. */
async function send(
  target: TranscriptTarget,
  batch: readonly NumberedMessage[],
  end: boolean,
  result: TranscriptSent,
): Promise<void> {
  const [only] = batch;
  if (only === undefined) return;
  const messages = batch.map(({ line: _, ...message }) => message);
  try {
    const { session, captures } = target;
    const capture = captures === false ? { capture: false } : {};
    const answer = await target.memory.sessions.append({ session, messages, end, ...capture });
    result.sent += answer.appended;
    result.captured += answer.captured?.stored ?? 0;
    result.duplicates += answer.duplicates;
    result.expired += answer.expired;
    result.indexing = answer.indexing;
  } catch (error) {
    if (!ABOUT_A_MESSAGE.has(codeOf(error) ?? "")) throw error;
    if (batch.length === 1) {
      result.bad.push({ line: only.line, reason: sentenceOf(error) });
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await send(target, batch.slice(0, middle), false, result);
    await send(target, batch.slice(middle), end, result);
  }
}
