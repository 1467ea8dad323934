import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { jsonOf } from "../../base/json-text.ts";
import { isObject } from "../../base/objects.ts";
import { readElements } from "../shell/json-elements.ts";
import { codeOf } from "../shell/problem.ts";
import { type FileCursor, type FileLine, readLines, START } from "../shell/read-lines.ts";
import { createMessageSender, type MessagesSent, type SessionTarget } from "./send-messages.ts";
import { NOT_JSON, type ParsedLine, parseTranscriptLine, readTranscriptItem } from "./transcript-line.ts";

export interface TranscriptSent extends Omit<MessagesSent<number>, "refused"> {
  /** The number of lines without a message: tool calls, notes about the session, empty lines. */
  skipped: number;
  /** The lines that could not be read or were refused. In a list of messages, the number counts messages. */
  bad: { line: number; reason: string }[];
  /** Whether the file was read from its first line on, and no line is a message. */
  isForeign: boolean;
  /** Whether the last line is cut off. It is read again from `cursor`. */
  incomplete: boolean;
  /** The position from which to continue once the file has grown. */
  cursor: FileCursor;
}

/**
 * Appends the messages of a transcript to a session. A transcript has JSON lines, a list of messages, or
 * an object with the list `messages`. Sending a transcript again does no harm, because each message has an
 * id. Without a cursor, only the messages after the session's last
 * message are sent. A file that is shorter than the cursor was rewritten, so it is treated as if
 * there were no cursor.
 *
 * @param options.from the `cursor` of the previous call
 * @param options.end whether the conversation is over, so that the server indexes it at once
 * @throws RecollectError when the service cannot be reached, or refuses for a reason that concerns
 * more than a single message; a file system error when the file cannot be read
 */
export async function sendTranscript(
  target: SessionTarget,
  file: string,
  options: { from?: FileCursor; end?: boolean } = {},
): Promise<TranscriptSent> {
  const { size } = await stat(file);
  const isGrown = options.from !== undefined && size >= options.from.offset;
  const sender = createMessageSender<number>(target);
  const bad: TranscriptSent["bad"] = [];
  const isList = await hasMessageList(file);
  let cursor = isGrown && options.from ? options.from : isList ? START : await findStart(target, file);
  let isForeign = cursor.offset === 0;
  let [skipped, incomplete] = [0, false];
  for await (const item of isList ? itemsOfList(file) : itemsOfLines(file, cursor)) {
    const { parsed, number } = item;
    if (item.isCutOff) {
      incomplete = true;
      break;
    }
    cursor = item.cursor;
    if ("skipped" in parsed) skipped++;
    if ("bad" in parsed) bad.push({ line: number, reason: parsed.bad });
    if ("message" in parsed) {
      isForeign = false;
      await sender.add(parsed.message, number);
    }
  }
  await sender.finish(options.end ?? false);
  const { refused, ...sent } = sender.result;
  bad.push(...refused.map(({ place, reason }) => ({ line: place, reason })));
  return { ...sent, skipped, bad, isForeign: isForeign && (isList || skipped + bad.length > 0), incomplete, cursor };
}

/** A line of a transcript, or an element of its list. */
interface Item {
  number: number;
  parsed: ParsedLine;
  /** Whether this is a last line that is still being written. */
  isCutOff: boolean;
  cursor: FileCursor;
}

async function* itemsOfLines(file: string, from: FileCursor): AsyncGenerator<Item> {
  for await (const line of readLines(file, from)) {
    const parsed = parseLine(line);
    yield { number: line.number, parsed, isCutOff: isCutOff(line, parsed), cursor: line.cursor };
  }
}

/** Yields the messages of a list. A list is sent whole each time, because each message has an id. */
async function* itemsOfList(file: string): AsyncGenerator<Item> {
  for await (const element of readElements(createReadStream(file), ["messages"])) {
    const number = element.index + 1;
    const parsed = "bad" in element ? { bad: element.bad } : readTranscriptItem(element.value, number);
    yield { number, parsed, isCutOff: false, cursor: START };
  }
}

/** Returns whether the file is one list of messages, or one object with the list `messages`. */
async function hasMessageList(file: string): Promise<boolean> {
  let isObjectOfOneLine = false;
  for await (const { text = "" } of readLines(file, START)) {
    const line = text.replace(/^\ufeff/, "").trim();
    if (line === "") continue;
    // A conversation on each line is the form of files for training, and no transcript.
    if (isObjectOfOneLine) return false;
    if (line.startsWith("[") || line === "{") return true;
    // Almost every line is a message. Parsing it only for this question would double the work.
    if (!line.includes('"messages"')) return false;
    const value = jsonOf(line);
    if (value === undefined) return /^\{\s*"messages"\s*:/.test(line);
    if (!isObject(value) || !Array.isArray(value.messages)) return false;
    isObjectOfOneLine = true;
  }
  return isObjectOfOneLine;
}

/** Returns whether a line is still being written, so that its end is missing. */
export function isCutOff(line: FileLine, parsed: ParsedLine): boolean {
  return !line.isWhole && "bad" in parsed && (parsed.bad === NOT_JSON || line.text === undefined);
}

/**
 * Returns the position after the line with the session's last message, or the start if the file has
 * no such line.
 */
async function findStart({ memory, session }: SessionTarget, file: string): Promise<FileCursor> {
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
    const parsed = parseLine(line);
    if ("message" in parsed && parsed.message.id === lastId) found = line.cursor;
  }
  return found;
}

/** Parses one line of a transcript file. */
export function parseLine(line: FileLine): ParsedLine {
  if (line.text === undefined) return { bad: line.problem ?? "unreadable" };
  // A byte order mark is not valid JSON.
  const text = line.number === 1 ? line.text.replace(/^\ufeff/, "") : line.text;
  return parseTranscriptLine(text, line.number);
}
