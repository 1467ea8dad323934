import { tableLines, UnreadableDocument } from "./document-text.ts";

const MAX_COLUMNS = 200;
/**
 * The most cells of all tables of a document. This many cells with one character each have more
 * text than a file may have.
 */
const MAX_CELLS = 1_000_000;

/** Builds a table from its tags in order. */
export interface HtmlTable {
  open(tag: string, attributes: Record<string, string>): void;
  /**
   * Adds text to the open cell. Without an open cell the text (a caption) goes before the table.
   */
  text(line: string): void;
  close(tag: string): void;
  /** Returns the table as lines of Markdown. */
  end(): string[];
}

/**
 * Creates a counter for the cells of a document's tables.
 *
 * @returns a function that counts one more cell; throws UnreadableDocument `too large`
 */
export function createCellCounter(): () => void {
  let cells = 0;
  return () => {
    if (++cells > MAX_CELLS) throw new UnreadableDocument("too large");
  };
}

/**
 * Reads a table into rows. A cell over several columns or rows has its text in the first, and the
 * others are empty. The last column that is read holds the text of all columns after it.
 */
export function createTable(countCell: () => void): HtmlTable {
  const rows: string[][] = [];
  const before: string[] = [];
  /** The number of further rows that the cell above still covers, by column. */
  const covered: number[] = [];
  let row: string[] | undefined;
  let cell: { text: string[]; columns: number; rows: number } | undefined;
  const skipCovered = (to: string[]) => {
    for (let left = covered[to.length] ?? 0; left > 0; left = covered[to.length] ?? 0) {
      covered[to.length] = left - 1;
      put(to, "");
    }
  };
  const put = (to: string[], text: string) => {
    countCell();
    if (to.length < MAX_COLUMNS) to.push(text);
    else if (text !== "") to[MAX_COLUMNS - 1] += ` ${text}`;
  };
  const endCell = () => {
    if (!cell) return;
    row ??= [];
    skipCovered(row);
    put(row, cell.text.join(" "));
    covered[row.length - 1] = cell.rows - 1;
    for (let column = 1; column < cell.columns && row.length < MAX_COLUMNS; column++) {
      put(row, "");
      covered[row.length - 1] = cell.rows - 1;
    }
    cell = undefined;
  };
  const endRow = () => {
    endCell();
    if (row) {
      skipCovered(row);
      rows.push(row);
    }
    row = undefined;
  };
  return {
    open: (tag, attributes) => {
      if (tag === "tr") {
        endRow();
        row = [];
      }
      if (tag !== "td" && tag !== "th") return;
      endCell();
      cell = { text: [], columns: span(attributes.colspan, MAX_COLUMNS), rows: span(attributes.rowspan, 1000) };
    },
    text: (line) => (cell ? cell.text : before).push(line),
    close: (tag) => {
      if (tag === "td" || tag === "th") endCell();
      else if (tag === "tr") endRow();
    },
    end: () => {
      endRow();
      const lines = tableLines(rows);
      return [...before, ...(before.length > 0 && lines.length > 0 ? [""] : []), ...lines];
    },
  };
}

function span(said: string | undefined, most: number): number {
  const count = Number.parseInt(said ?? "1", 10);
  return count >= 1 ? Math.min(count, most) : 1;
}
