import { decodeText } from "./decode-text.ts";
import { createMarkdownLines, type DocumentText, tableLines, UnreadableDocument } from "./document-text.ts";
import { createCellCounter } from "./html-table.ts";

/** The signs that may divide cells; the ones that cells have in them more often come later. */
const DELIMITERS = ["\t", ";", "|", ","];
/** The characters at the beginning that tell which sign divides the cells. */
const SAMPLE_CHARS = 20_000;
/** The most columns. The last one has the text of all columns after it. */
const MAX_COLUMNS = 200;
/** The rows that are read before progress is reported. */
const ROWS_A_STEP = 1000;

/**
 * Reads a table that a spreadsheet or a program has saved as CSV, with any usual sign between its
 * cells, as a table of Markdown. Cells in quotation marks may have the sign and line ends in them.
 * Takes time linear in the text.
 *
 * @param advance is called after each step of the work
 * @param known.delimiter the sign between the cells, if the type of the document says it
 * @throws UnreadableDocument `no text`, `too large`
 */
export function csvToMarkdown(
  bytes: Uint8Array,
  advance: () => void,
  { charset, delimiter }: { charset?: string | undefined; delimiter?: string | undefined } = {},
): DocumentText {
  const whole = decodeText(bytes, charset);
  // Excel names the sign in a line of its own.
  const [line = "", named] = /^\ufeff?(?:sep=(.)\r?\n)?/i.exec(whole) ?? [];
  const text = whole.slice(line.length);
  const rows: string[][] = [];
  const countCell = createCellCounter();
  for (const row of rowsOf(text, named ?? delimiter ?? delimiterOf(text))) {
    row.forEach(countCell);
    if (row.every((cell) => cell === "")) continue;
    rows.push(
      row.length > MAX_COLUMNS ? [...row.slice(0, MAX_COLUMNS - 1), row.slice(MAX_COLUMNS - 1).join(" ")] : row,
    );
    if (rows.length % ROWS_A_STEP === 0) advance();
  }
  if (rows.length === 0) throw new UnreadableDocument("no text");
  const lines = createMarkdownLines();
  lines.block(tableLines(rows));
  return { content: `${lines.lines.join("\n")}\n` };
}

/**
 * Returns the sign that divides most rows into equally many cells; a comma if there is none. Sentences
 * and decimals have commas too, but not equally many in each row.
 */
function delimiterOf(text: string): string {
  const counts = countSigns(text.slice(0, SAMPLE_CHARS));
  const alike = counts.map((ofRows) => {
    const rows = new Map<number, number>();
    for (const count of ofRows) if (count > 0) rows.set(count, (rows.get(count) ?? 0) + 1);
    return Math.max(0, ...rows.values());
  });
  const most = Math.max(...alike);
  return most === 0 ? "," : (DELIMITERS[alike.indexOf(most)] ?? ",");
}

/** Returns for each sign how often it stands outside quotation marks in each row. */
function countSigns(text: string): number[][] {
  const counts: number[][] = DELIMITERS.map(() => [0]);
  let quoted = false;
  for (const sign of text) {
    const n = DELIMITERS.indexOf(sign);
    if (sign === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (sign === "\n" || sign === "\r") for (const ofRows of counts) ofRows.push(0);
    else if (n >= 0) counts[n]?.push((counts[n].pop() ?? 0) + 1);
  }
  return counts;
}

/** Yields the rows, each a list of trimmed cells on one line. */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter);
    row.push(cell.replace(/\s+/g, " ").trim());
    at = end + 1;
    if (text[end] === delimiter && at < text.length) continue;
    if (text[end] === "\r" && text[at] === "\n") at++;
    yield row;
    row = [];
  }
}

/** Returns the cell that begins at a place, and the place of the sign that ends it. */
function plainCell(text: string, from: number, delimiter: string): [cell: string, end: number] {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end++;
  return [text.slice(from, end), end];
}

/** Reads a cell in quotation marks, in which a mark is doubled. A missing last mark ends at the text's end. */
function quotedCell(text: string, from: number, delimiter: string): [cell: string, end: number] {
  let cell = "";
  let at = from + 1;
  for (;;) {
    const mark = text.indexOf('"', at);
    if (mark < 0) return [cell + text.slice(at), text.length];
    cell += text.slice(at, mark);
    at = mark + 1;
    if (text[at] !== '"') break;
    cell += '"';
    at++;
  }
  // The cell includes the characters between the mark and the next sign.
  const [after, end] = plainCell(text, at, delimiter);
  return [cell + after, end];
}
