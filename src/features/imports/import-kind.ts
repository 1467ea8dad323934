import type { LocalFile } from "../../cli/folder/walk-folder.ts";
import type { TranscriptMessage } from "../../cli/sessions/transcript-line.ts";
import type { FactInput, Scope } from "../../client/client.ts";

/** A file of a source, on disk or in a ZIP archive. */
export interface SourceFile {
  /**
   * The path relative to the source, with `/` between segments. It is only displayed and matched;
   * no file is opened by this path.
   */
  path: string;
  /** The unpacked size in bytes. */
  size: number;
  /** The path on disk; undefined in an archive. */
  absolute?: string;
  /**
   * Opens the file and returns its bytes, which are counted as progress.
   *
   * @throws when the file cannot be read
   */
  open(): Promise<AsyncIterable<Uint8Array>>;
  /** Reports bytes that were read without `open` as progress. */
  advance(bytes: number): void;
}

/**
 * One entry of a conversation: a message, something without words, or something that cannot be
 * read.
 */
export type Entry = Said | Left | Bad;

interface Said {
  message: TranscriptMessage;
  place: string;
  /** The id under which a hook has stored the message, if it was there. */
  hookId?: string | undefined;
}

/**
 * An entry that is not text, by its name in the plural, such as `tool calls`. Such entries are
 * counted.
 */
export interface Left {
  left: string;
}

export interface Bad {
  bad: string;
  /** The place in the source: the file with an index, a line or a message. */
  place: string;
}

export interface Conversation {
  /** The key of the session, made from the conversation's id in the source. */
  session: string;
  /** The key of the session in which a hook may have stored messages of the conversation already. */
  hookSession?: string | undefined;
  place: string;
  /**
   * Returns whom the conversation is for, given the user of the import if one is named; absent: that
   * user, or everybody.
   */
  scopeOf?(user: string | undefined): Scope;
  entries: Iterable<Entry> | AsyncIterable<Entry>;
}

/** One item of a source. */
export type Item =
  | { conversation: Conversation }
  | { fact: FactInput; place: string }
  /** A text, with its content, that becomes a file. */
  | { file: LocalFile }
  | Left
  | Bad;

/** A kind of source, and the parts of it that are read. */
export interface ImportKind {
  /** The content of a source of this kind, shown to users who named a source of another kind. */
  has: string;
  /** Whether the source may also be a ZIP archive. */
  isZipped: boolean;
  /**
   * Returns whether to read a file of the source, judged by its path. A file that the user names is
   * read under any name.
   */
  reads?(path: string): boolean;
  /**
   * Reads the items of a file. Throws only when the file cannot be read, never because of its
   * content.
   */
  read?(file: SourceFile): AsyncGenerator<Item>;
  /** Returns whether a text file becomes one of the agent's files unchanged. */
  keeps?(path: string): boolean;
  /** Reads the facts in the text of such a file. */
  readKept?(text: string, path: string): Iterable<Item>;
  /** Checks the paths of a source. @throws AppError when the files cannot belong to one agent */
  check?(paths: readonly string[]): void;
}
