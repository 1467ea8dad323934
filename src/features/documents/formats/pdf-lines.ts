/** A piece of text at its place on a page. Units are points; y grows upwards. */
export interface TextPiece {
  text: string;
  x: number;
  y: number;
  width: number;
  /** The height of the font. */
  size: number;
}

/** The text between two wide gaps of a line. */
export interface Cell {
  text: string;
  x: number;
  end: number;
}

/** A line of a page. */
export interface PageLine {
  cells: Cell[];
  y: number;
  /** The size of the largest font. */
  size: number;
}

/** The smallest gap that is a space, and the smallest gap between two columns, in font heights. */
const SPACE_GAP = 0.15;
const COLUMN_GAP = 1.4;
/**
 * The largest vertical distance between pieces of one line, in font heights. It is more than for an
 * exponent and less than for the next line.
 */
const SAME_LINE = 0.5;

/**
 * Joins pieces to lines in the order of the page's content. That is the reading order, also with
 * columns.
 */
export function linesOf(pieces: readonly TextPiece[]): PageLine[] {
  const lines: PageLine[] = [];
  let line: PageLine | undefined;
  for (const { text, x, y, width, size } of pieces) {
    if (text.trim() === "") continue;
    const last = line?.cells.at(-1);
    const high = Math.max(size, line?.size ?? 0);
    const gap = last ? x - last.end : 0;
    if (!line || !last || Math.abs(y - line.y) > SAME_LINE * high || gap < -high) {
      line = { cells: [{ text, x, end: x + width }], y, size };
      lines.push(line);
      continue;
    }
    if (gap > COLUMN_GAP * high) line.cells.push({ text, x, end: x + width });
    else {
      const isApart = gap > SPACE_GAP * high && !/\s$/.test(last.text) && !/^\s/.test(text);
      last.text += (isApart ? " " : "") + text;
      last.end = Math.max(last.end, x + width);
    }
    line.size = high;
  }
  return lines;
}

/** Returns the text of all cells of a line. */
export function textOf(line: PageLine): string {
  return line.cells.map((cell) => cell.text.trim()).join("  ");
}
