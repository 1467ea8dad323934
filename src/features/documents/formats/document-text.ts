/** The reasons why a document cannot be read. */
export type DocumentFault = "encrypted" | "damaged" | "no text" | "too many pages" | "too large" | "too deep";

/** A document that cannot be read, or not within the limits. */
export class UnreadableDocument extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, cause?: unknown) {
    super(fault, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}

/** The text of a document. */
export interface DocumentText {
  /** The text as Markdown. */
  content: string;
  /**
   * The line number on which each page begins, in page order; undefined: the document has no pages.
   */
  pages?: number[];
}

/** The most characters of a document's text, the same as for a file over the API. */
const MAX_CHARS = 4_000_000;

/**
 * The number of characters of an empty table cell in Markdown: its pipe and two spaces, one of them
 * for the neighbouring cell.
 */
const CELL_CHARS = 3;

/** Lines of Markdown, up to the size of a file. */
export interface MarkdownLines {
  readonly lines: readonly string[];
  /**
   * Adds lines after a blank line.
   *
   * @throws UnreadableDocument `too large`
   */
  block(lines: readonly string[]): void;
  /**
   * Adds lines to the block before.
   *
   * @throws UnreadableDocument `too large`
   */
  more(lines: readonly string[]): void;
}

/**
 * Collects the text of a document. Stops a reader whose document unpacks to more text than a file
 * may have.
 */
export function createMarkdownLines(): MarkdownLines {
  const lines: string[] = [];
  let chars = 0;
  const add = (line: string) => {
    chars += line.length + 1;
    if (chars > MAX_CHARS) throw new UnreadableDocument("too large");
    lines.push(line);
  };
  const more = (added: readonly string[]) => {
    for (const line of added) add(line);
  };
  return {
    lines,
    more,
    block: (added) => {
      if (added.length > 0 && lines.length > 0) add("");
      more(added);
    },
  };
}

/** A buffer for text that arrives in pieces. */
export interface TextBuffer {
  /** @throws UnreadableDocument `too large` */
  add(piece: string): void;
  /** Returns the text so far and empties the buffer. */
  take(): string;
}

/**
 * The most characters in a buffer. White space that is removed later may be as long as a whole
 * file.
 */
const MAX_PENDING_CHARS = 2 * MAX_CHARS;
const PIECES = 1024;

/**
 * Collects text. Joins the pieces from time to time: a string that grows character by character
 * keeps an object of 32 bytes for each character.
 */
export function createTextBuffer(): TextBuffer {
  let [text, pieces, chars] = ["", [] as string[], 0];
  return {
    add: (piece) => {
      chars += piece.length;
      if (chars > MAX_PENDING_CHARS) throw new UnreadableDocument("too large");
      if (pieces.push(piece) < PIECES) return;
      text += pieces.join("");
      pieces = [];
    },
    take: () => {
      const taken = pieces.length === 0 ? text : text + pieces.join("");
      [text, pieces, chars] = ["", [], 0];
      return taken;
    },
  };
}

/** Returns the text on one line, without control characters. */
export function inline(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toWellFormed();
}

/**
 * Matches a line whose beginning would open a heading, quotation, code block, table, HTML or front
 * matter. Characters inside a line are not escaped: an escape would hide `snake_case` from the
 * search.
 */
const OPENS_BLOCK = /^(?:#{1,6}(?:\s|$)|>|```|~~~|<|\||[-=_*+\s]+$)/;

/** Escapes a line of text so that Markdown does not read it as a block. */
export function escapeLine(line: string): string {
  return OPENS_BLOCK.test(line) ? `\\${line}` : line;
}

/**
 * Formats a table with its first row as the head. Leaves out empty rows. Without columns there are
 * no lines; a single column becomes paragraphs.
 *
 * @throws UnreadableDocument `too large`: short rows are filled up to the longest, so a few cells
 *   can become much text
 */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const full = rows.filter((row) => row.some((cell) => cell !== ""));
  const columns = full.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns < 2) return full.flatMap(([cell = ""], index) => [...(index > 0 ? [""] : []), escapeLine(cell)]);
  if (full.length * columns * CELL_CHARS > MAX_CHARS) throw new UnreadableDocument("too large");
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, at) => (row[at] ?? "").replaceAll("|", "\\|")).join(" | ")} |`;
  const [head = [], ...body] = full;
  return [line(head), `|${" --- |".repeat(columns)}`, ...body.map(line)];
}
