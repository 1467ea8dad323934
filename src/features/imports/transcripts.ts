import { isCutOff, parseLine } from "../../cli/sessions/send-transcript.ts";
import { sessionOfFile } from "../../cli/sessions/sessions-add.ts";
import { readLines, START } from "../../cli/shell/read-lines.ts";
import { turnMessageId } from "../../service/sessions/turn-message.ts";
import type { Entry, Item, SourceFile } from "./import-kind.ts";

/**
 * Reads a JSONL transcript as a conversation. Its session key is the key that
 * `recollect sessions add` uses.
 *
 * @param hookSession returns the key of the session in which a hook stores the conversation of this
 *   file
 */
export async function* readTranscript(
  file: SourceFile,
  hookSession?: (session: string) => string,
): AsyncGenerator<Item> {
  const session = sessionOfFile(file.path);
  yield {
    conversation: { session, hookSession: hookSession?.(session), place: file.path, entries: entriesOf(file) },
  };
}

async function* entriesOf({ path, absolute = "", advance }: SourceFile): AsyncGenerator<Entry> {
  let read = 0;
  let turn: string | undefined;
  for await (const line of readLines(absolute, START)) {
    advance(line.cursor.offset - read);
    read = line.cursor.offset;
    const place = `${path}:${line.number}`;
    const parsed = parseLine(line);
    if ("turn" in parsed) turn = parsed.turn;
    if ("message" in parsed) {
      const { role, text } = parsed.message;
      const hookId = turn === undefined ? undefined : turnMessageId(turn, role, text);
      yield { message: parsed.message, place, hookId };
    }
    // The conversation is still being written. The next import reads the line once it is complete.
    else if (isCutOff(line, parsed)) yield { left: "lines that are cut off" };
    else if ("bad" in parsed) yield { bad: parsed.bad, place };
    else yield { left: "lines without words" };
  }
}
