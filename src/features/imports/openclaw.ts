import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../base/errors.ts";
import { reasonOf } from "../../cli/folder/walk-folder.ts";
import { parseTranscriptLine } from "../../cli/sessions/transcript-line.ts";
import { printableLine } from "../../cli/shell/printable.ts";
import type { Entry, ImportKind, Item, SourceFile } from "./import-kind.ts";
import { unpackedLines } from "./openclaw-cold.ts";
import { ownerOf } from "./openclaw-scope.ts";
import { readOpenClawDatabase } from "./sql/openclaw-database.ts";
import { readTranscript } from "./transcripts.ts";

/** A transcript of an older OpenClaw, or the copy that a reset leaves behind. */
const SESSION = /(?:^|\/)sessions\/[^/]+\.jsonl(?:\.reset\.[^/]+)?$/;
const RESET = /\.jsonl\.reset\.[^/]+$/;
const DATABASE = /(?:^|\/)openclaw-agent\.sqlite$/;
const AGENT = /(?:^|\/)agents\/([^/]+)\/(?:sessions|agent)\//;
const MEMORY = /(^|\/)(MEMORY\.md|memory\.md|USER\.md|memory\/.+\.md)$/;

/** An OpenClaw workspace, and the conversations of an agent. */
export const openclaw: ImportKind = {
  has: "MEMORY.md, USER.md, memory/*.md, openclaw-agent.sqlite or sessions/*.jsonl",
  isZipped: false,
  reads: (path) => SESSION.test(path) || DATABASE.test(path),
  read: (file) =>
    DATABASE.test(file.path) || file.path.endsWith(".sqlite") ? readOpenClawDatabase(file) : readOld(file),
  keeps: (path) => MEMORY.test(path),
  check: (paths) => {
    const isRead = (path: string) => SESSION.test(path) || DATABASE.test(path);
    const agents = [...new Set(paths.flatMap((path) => (isRead(path) ? AGENT.exec(path)?.[1] : []) ?? []))];
    if (agents.length > 1)
      throw new AppError(
        "invalid_request",
        `The sessions are those of several agents (${printableLine(agents.join(", "))}). Import the folder of each, such as agents/${printableLine(agents[0] ?? "")}, with its own --agent.`,
      );
  },
};

/**
 * Reads a JSONL transcript. It does not name its people, so it counts as the owner's, and other people
 * do not see it.
 */
async function* readOld(file: SourceFile): AsyncGenerator<Item> {
  const scopeOf = ownerOf({ audience: "owner", writes: { user: "" } });
  const resetSession = RESET.test(file.path) ? `transcript:${basename(file.path).replace(RESET, "")}` : undefined;
  if (file.path.endsWith(".zst")) {
    const session = resetSession ?? basename(file.path);
    yield { conversation: { session, place: file.path, scopeOf, entries: packedEntries(file) } };
    return;
  }
  for await (const item of readTranscript(file)) {
    if (!("conversation" in item)) yield item;
    else {
      const session = resetSession ?? item.conversation.session;
      yield { conversation: { ...item.conversation, session, scopeOf } };
    }
  }
}

/** Reads the copy of a transcript that a reset has left behind packed. */
async function* packedEntries(file: SourceFile): AsyncGenerator<Entry> {
  let number = 0;
  try {
    const bytes = await readFile(file.absolute ?? file.path);
    file.advance(bytes.length);
    for await (const line of unpackedLines(bytes)) {
      const place = `${file.path}:${++number}`;
      const parsed = parseTranscriptLine(line, number);
      if ("message" in parsed) yield { message: parsed.message, place };
      else if ("bad" in parsed) yield { bad: parsed.bad, place };
      else yield { left: "lines without words" };
    }
  } catch (error) {
    yield { bad: `it cannot be unpacked: ${reasonOf(error)}`, place: file.path };
  }
}
