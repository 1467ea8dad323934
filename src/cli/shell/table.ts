import type { Output } from "./context.ts";
import { printableLine } from "./printable.ts";

const GAP = "  ";
/** The indent of the lines on which a row goes on. */
const INDENT = "    ";
const LEAST_WIDTH = 40;
const USUAL_WIDTH = 80;
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;

/**
 * Returns the width that tables must fit into: the terminal's. A file or a pipe has none, so that a
 * row stays a line there.
 */
export function tableWidth({ isTTY, columns }: Output): number | undefined {
  return isTTY ? Math.max(LEAST_WIDTH, columns ?? USUAL_WIDTH) : undefined;
}

/**
 * Formats rows under a head, in columns as wide as their widest cell. If the columns do not fit,
 * instants are shortened to minutes; if they still do not fit, each row goes on in further,
 * indented lines, and long texts are broken between words. Nothing is cut off, because an id is
 * copied into the next command.
 *
 * @param width the most columns of a line
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  width: number | undefined = undefined,
): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => printableLine(cell === null ? "–" : String(cell))));
  if (width === undefined || fits(cells, width)) return plain(cells);
  const short = cells.map((row) => row.map((cell) => cell.replace(INSTANT, "$1 $2Z")));
  return fits(short, width) ? plain(short) : folded(short, width);
}

function widthsOf(cells: readonly string[][]): number[] {
  return (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => columnsOf(row[column] ?? ""))));
}

function fits(cells: readonly string[][], width: number): boolean {
  const widths = widthsOf(cells);
  return widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) <= width;
}

function plain(cells: readonly string[][]): string {
  const widths = widthsOf(cells);
  return `${cells.map((row) => joined(row, widths)).join("\n")}\n`;
}

function joined(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, index) => cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - columnsOf(cell))))
    .join(GAP)
    .trimEnd();
}

/** Spreads the columns over as few lines as they need, and writes each row on so many lines. */
function folded(cells: readonly string[][], width: number): string {
  const lines = linesOf(widthsOf(cells), width);
  const text = cells.flatMap((row) =>
    lines.flatMap(({ from, widths, indent }) => {
      const part = row.slice(from, from + widths.length).map((cell, index) => wrapped(cell, widths[index] ?? 0));
      const height = Math.max(...part.map((pieces) => pieces.length));
      return Array.from({ length: height }, (_, at) =>
        `${indent}${joined(
          part.map((pieces) => pieces[at] ?? ""),
          widths,
        )}`.trimEnd(),
      ).filter((line) => line !== "");
    }),
  );
  return `${text.join("\n")}\n`;
}

interface FoldedLine {
  /** The number of the line's first column. */
  from: number;
  widths: number[];
  indent: string;
}

function linesOf(widths: readonly number[], width: number): FoldedLine[] {
  const lines: FoldedLine[] = [];
  let left = -1;
  for (const [column, wanted] of widths.entries()) {
    const current = lines.at(-1);
    if (current && wanted + GAP.length <= left) {
      current.widths.push(wanted);
      left -= wanted + GAP.length;
      continue;
    }
    const indent = lines.length === 0 ? "" : INDENT;
    const own = Math.min(wanted, width - indent.length);
    lines.push({ from: column, widths: [own], indent });
    left = width - indent.length - own;
  }
  return lines;
}

/** Breaks a text into pieces of at most `width` columns, between words where there are any. */
function wrapped(text: string, width: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (let most = lengthWithin(rest, width); most < rest.length; most = lengthWithin(rest, width)) {
    const space = rest.lastIndexOf(" ", most);
    const end = space > 0 ? space : most;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(space > 0 ? end + 1 : end);
  }
  return [...pieces, rest];
}

/** Characters that take two columns of a terminal: Chinese, Japanese, Korean, and most emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Marks that are drawn over the character before them. */
const MARK = /^\p{M}/u;
const ASCII = /^[\u0020-\u007e]*$/;

/** Returns the number of a terminal's columns that a text takes. */
function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/**
 * Returns the length of the longest beginning of a text that fits into some columns; at least one
 * character.
 */
function lengthWithin(text: string, columns: number): number {
  let [length, taken] = [0, 0];
  for (const character of text) {
    taken += columnsOfCharacter(character);
    if (taken > columns && length > 0) break;
    length += character.length;
  }
  return length;
}

function columnsOfCharacter(character: string): number {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
