/** Why a document cannot be read. */
export type DocumentFault = "encrypted" | "damaged" | "no text" | "too many pages" | "too large" | "too deep";

/** A document that cannot be read, or not within limits. */
export class UnreadableDocument extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, cause?: unknown) {
    super(fault, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}

/** What was read of a document. */
export interface DocumentText {
  /** Markdown. */
  content: string;
  /** The number of the line on which each page begins, in page order; undefined: it has no pages. */
  pages?: number[];
}

/** As of a file over the API. */
const MAX_CHARS = 4_000_000;

/** What an empty cell of a table is in Markdown: its line and two blanks, one of them its neighbour's. */
const CELL_CHARS = 3;

/** Lines of Markdown, as many as a file may have. */
export interface MarkdownLines {
  readonly lines: readonly string[];
  /** Adds lines with a blank one before them. @throws UnreadableDocument `too large` */
  block(lines: readonly string[]): void;
  /** Adds lines to the block before. @throws UnreadableDocument `too large` */
  more(lines: readonly string[]): void;
}

/** Collects the text of a document, and ends a reader whose document unpacks to more than a file may have. */
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

/** Text that is collected piece by piece. */
export interface TextBuffer {
  /** @throws UnreadableDocument `too large` */
  add(piece: string): void;
  /** The text so far; the buffer is then empty. */
  take(): string;
}

/** Blanks that will be left out may be as many again as the characters of a file. */
const MAX_PENDING_CHARS = 2 * MAX_CHARS;
const PIECES = 1024;

/** Collects text. Pieces are joined now and then: a string that grows character by character keeps an object of 32 bytes for each. */
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

/** Text on one line, without control characters. */
export function inline(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toWellFormed();
}

/**
 * What would begin a heading, quotation, code, table, HTML or front matter if it stood at the start of a line. Characters within
 * a line are left as they are: an escape would hide `snake_case` from the search.
 */
const OPENS_BLOCK = /^(?:#{1,6}(?:\s|$)|>|```|~~~|<|\||[-=_*+\s]+$)/;

/** A line of text that stays text in Markdown. */
export function escapeLine(line: string): string {
  return OPENS_BLOCK.test(line) ? `\\${line}` : line;
}

/**
 * A table with its first row as the head; empty rows are left out. One without columns is no lines, one of one column is paragraphs.
 *
 * @throws UnreadableDocument `too large`: short rows are filled up to the longest, so few cells can be much text
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
