import { stat } from "node:fs/promises";
import { codeOf } from "../shell/problem.ts";
import { type FileCursor, type FileLine, readLines, START } from "../shell/read-lines.ts";
import { createMessageSender, type MessagesSent, type SessionTarget } from "./send-messages.ts";
import { type ParsedLine, parseTranscriptLine } from "./transcript-line.ts";

export interface TranscriptSent extends Omit<MessagesSent<number>, "refused"> {
  /** The number of lines without a message: tool calls, notes about the session, empty lines. */
  skipped: number;
  /** The lines that could not be read or were refused. */
  bad: { line: number; reason: string }[];
  /** Whether the file was read from its first line on, and no line is a message. */
  isForeign: boolean;
  /** Whether the last line is cut off. It is read again from `cursor`. */
  incomplete: boolean;
  /** The position from which to continue once the file has grown. */
  cursor: FileCursor;
}

/**
 * Appends the messages of a JSONL transcript to a session. Sending a transcript again does no harm,
 * because each message has an id. Without a cursor, only the messages after the session's last
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
  let cursor = isGrown && options.from ? options.from : await findStart(target, file);
  let isForeign = cursor.offset === 0;
  let [skipped, incomplete] = [0, false];
  for await (const line of readLines(file, cursor)) {
    const parsed = parseLine(line);
    if (!line.isWhole && "bad" in parsed) {
      incomplete = true;
      break;
    }
    cursor = line.cursor;
    if ("skipped" in parsed) skipped++;
    if ("bad" in parsed) bad.push({ line: line.number, reason: parsed.bad });
    if ("message" in parsed) {
      isForeign = false;
      await sender.add(parsed.message, line.number);
    }
  }
  await sender.finish(options.end ?? false);
  const { refused, ...sent } = sender.result;
  bad.push(...refused.map(({ place, reason }) => ({ line: place, reason })));
  return { ...sent, skipped, bad, isForeign: isForeign && skipped + bad.length > 0, incomplete, cursor };
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
