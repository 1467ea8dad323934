import type { FactInput } from "../../client/client.ts";
import type { LocalFile } from "../folder/walk-folder.ts";
import type { TranscriptMessage } from "../sessions/transcript-line.ts";

/** A file of a source: on disk, or in a ZIP archive. */
export interface SourceFile {
  /** Relative to the source, with `/` between segments. It is a name to show and to match; nothing is opened by it. */
  path: string;
  /** In bytes, unpacked. */
  size: number;
  /** Where it is on disk; undefined in an archive. */
  absolute?: string;
  /** Its bytes, which are counted as progress. @throws when it cannot be read */
  open(): Promise<AsyncIterable<Uint8Array>>;
  /** Tells of bytes that were read otherwise. */
  advance(bytes: number): void;
}

/** What a conversation has in one place: a message, something without words, or something that cannot be read. */
export type Entry = { message: TranscriptMessage; place: string } | Left | Bad;

/** Something that is no text, by its name in the plural, such as `tool calls`. It is counted. */
export interface Left {
  left: string;
}

export interface Bad {
  bad: string;
  /** Where it stands: the file with an index, a line or a message. */
  place: string;
}

export interface Conversation {
  /** The key of its session, made of the source's id. */
  session: string;
  place: string;
  entries: Iterable<Entry> | AsyncIterable<Entry>;
}

/** What a source has. */
export type Item =
  | { conversation: Conversation }
  | { fact: FactInput; place: string }
  /** A text that becomes a file, with its content. */
  | { file: LocalFile }
  | Left
  | Bad;

/** A kind of source, and what of it is read. */
export interface ImportKind {
  /** What a source of this kind has, for those who named another. */
  has: string;
  /** Whether it comes as a ZIP archive too. */
  isZipped: boolean;
  /** Whether a file of the source is read, by its path. One that the user names is read whatever it is called. */
  reads?(path: string): boolean;
  /** What a file has. Throws only when it cannot be read, never for what stands in it. */
  read?(file: SourceFile): AsyncGenerator<Item>;
  /** Whether a text file becomes one of the agent's files as it is. */
  keeps?(path: string): boolean;
  /** The facts that stand in such a file. */
  readKept?(text: string, path: string): Iterable<Item>;
  /** @throws AppError when the files cannot be one agent's */
  check?(paths: readonly string[]): void;
}
