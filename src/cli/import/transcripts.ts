import { parseLine } from "../sessions/send-transcript.ts";
import { sessionOfFile } from "../sessions/sessions-add.ts";
import { readLines, START } from "../shell/read-lines.ts";
import type { Entry, Item, SourceFile } from "./import-kind.ts";

/** A JSONL transcript as a conversation, under the key that `recollect sessions add` gives it. */
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
    // A conversation that goes on: the next import reads the line when it is whole.
    else if ("bad" in parsed) yield line.isWhole ? { bad: parsed.bad, place } : { left: "lines that are cut off" };
    else yield { left: "lines without words" };
  }
}
