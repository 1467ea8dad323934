import { parseLine } from "../sessions/send-transcript.ts";
import { sessionOfFile } from "../sessions/sessions-add.ts";
import { readLines, START } from "../shell/read-lines.ts";
import type { Entry, Item, SourceFile } from "./import-kind.ts";

/**
 * Reads a JSONL transcript as a conversation. Its session key is the key that
 * `recollect sessions add` uses.
 */
export async function* readTranscript(file: SourceFile): AsyncGenerator<Item> {
  yield { conversation: { session: sessionOfFile(file.path), place: file.path, entries: entriesOf(file) } };
}

async function* entriesOf({ path, absolute = "", advance }: SourceFile): AsyncGenerator<Entry> {
  let read = 0;
  for await (const line of readLines(absolute, START)) {
    advance(line.cursor.offset - read);
    read = line.cursor.offset;
    const place = `${path}:${line.number}`;
    const parsed = parseLine(line);
    if ("message" in parsed) yield { message: parsed.message, place };
    // The conversation is still being written. The next import reads the line once it is complete.
    else if ("bad" in parsed) yield line.isWhole ? { bad: parsed.bad, place } : { left: "lines that are cut off" };
    else yield { left: "lines without words" };
  }
}
