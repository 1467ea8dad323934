import { tableLines, UnreadableDocument } from "./document-text.ts";

const MAX_COLUMNS = 200;
const MAX_CELLS = 500_000;

/** A table whose tags come one after the other. */
export interface HtmlTable {
  open(tag: string, attributes: Record<string, string>): void;
  /** Text of the cell that is open; of a caption, before the table. */
  text(line: string): void;
  close(tag: string): void;
  /** The table as lines of Markdown. */
  end(): string[];
}

/** Reads a table into rows. A cell over several columns or rows stands in the first, and the others are empty. */
export function createTable(): HtmlTable {
  const rows: string[][] = [];
  const before: string[] = [];
  /** Rows that the cell above still covers, by column. */
  const covered: number[] = [];
  let row: string[] | undefined;
  let cell: { text: string[]; columns: number; rows: number } | undefined;
  let cells = 0;
  const skipCovered = (to: string[]) => {
    for (let left = covered[to.length] ?? 0; left > 0; left = covered[to.length] ?? 0) {
      covered[to.length] = left - 1;
      put(to, "");
    }
  };
  const put = (to: string[], text: string) => {
    if (++cells > MAX_CELLS) throw new UnreadableDocument("too large");
    if (to.length < MAX_COLUMNS) to.push(text);
    else if (text !== "") to[MAX_COLUMNS - 1] += ` ${text}`;
  };
  const endCell = () => {
    if (!cell) return;
    row ??= [];
    skipCovered(row);
    for (let column = 0; column < cell.columns && row.length < MAX_COLUMNS; column++) {
      covered[row.length] = cell.rows - 1;
      put(row, column === 0 ? cell.text.join(" ") : "");
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
