import type { StateBlock } from "markdown-it";

/**
 * The most missing cells of a table, as in markdown-it: the table ends before the row that exceeds
 * it.
 */
const MAX_MISSING_CELLS = 65_536;
const [SPACE, TAB, PIPE, DASH, COLON, BACKSLASH] = [0x20, 0x09, 0x7c, 0x2d, 0x3a, 0x5c];

/**
 * Replaces markdown-it's block rule `table`, without the cells. It finds the same tables and marks
 * where they begin and end, which is all that chunking reads. The original pads each row to the
 * width of the head: 7 KB of pipes became 400,000 cells of three tokens each, and a file of some
 * megabytes blocked a thread for minutes. Time is linear in the text.
 *
 * @returns whether a table begins at `startLine`; unless `silent`, the state has then moved behind
 *   the table
 */
export function tableRule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const columns = columnsOfHead(state, startLine, endLine);
  if (columns === 0) return false;
  if (silent) return true;
  const parentType = state.parentType;
  state.parentType = "table";
  const lines: [number, number] = [startLine, 0];
  state.push("table_open", "table", 1).map = lines;
  const end = endOfRows(state, startLine + 2, endLine, columns);
  state.push("table_close", "table", -1);
  lines[1] = end;
  state.parentType = parentType;
  state.line = end;
  return true;
}

/** Returns the number of columns if this line is the head of a table; else 0. */
function columnsOfHead(state: StateBlock, startLine: number, endLine: number): number {
  if (startLine + 2 > endLine) return 0;
  const below = startLine + 1;
  if (indentOf(state, below) < 0 || indentOf(state, below) >= 4) return 0;
  const delimiters = lineOf(state, below);
  if (!mayBeDelimiters(delimiters)) return 0;
  const columns = countDelimiters(delimiters);
  const head = lineOf(state, startLine).trim();
  if (columns === 0 || !head.includes("|") || indentOf(state, startLine) >= 4) return 0;
  return countCells(head) === columns ? columns : 0;
}

/** Returns the first line behind the rows, which begin at `from`. */
function endOfRows(state: StateBlock, from: number, endLine: number, columns: number): number {
  const terminators = state.md.block.ruler.getRules("blockquote");
  let missing = 0;
  for (let line = from; line < endLine; line++) {
    if (indentOf(state, line) < 0) return line;
    if (terminators.some((rule) => rule(state, line, endLine, true))) return line;
    const text = lineOf(state, line).trim();
    if (text === "" || indentOf(state, line) >= 4) return line;
    missing += columns - countCells(text);
    if (missing > MAX_MISSING_CELLS) return line;
  }
  return Math.max(from, endLine);
}

function indentOf(state: StateBlock, line: number): number {
  return (state.sCount[line] ?? 0) - state.blkIndent;
}

/** Returns a line without its indentation. */
function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

/**
 * Returns whether a line has only the characters of a delimiter row. A line that begins with `-`
 * and a space is a list item.
 */
function mayBeDelimiters(text: string): boolean {
  const [first, second] = [text.charCodeAt(0), text.charCodeAt(1)];
  if (text.length < 2 || isBlank(first) || (first === DASH && isBlank(second))) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== PIPE && code !== DASH && code !== COLON && !isBlank(code)) return false;
  }
  return true;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** Returns the number of columns of a delimiter row; 0 if the line is not one. */
function countDelimiters(text: string): number {
  const parts = text.split("|");
  let count = 0;
  for (const [index, part] of parts.entries()) {
    const delimiter = part.trim();
    const outside = delimiter === "" && (index === 0 || index === parts.length - 1);
    if (!outside && !/^:?-+:?$/.test(delimiter)) return 0;
    if (!outside) count++;
  }
  return count;
}

/** Counts the cells of a trimmed line: the parts between unescaped pipes, without empty ends. */
function countCells(text: string): number {
  let pipes = 0;
  let escaped = false;
  let endsInPipe = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    endsInPipe = code === PIPE && !escaped;
    if (endsInPipe) pipes++;
    escaped = code === BACKSLASH;
  }
  return pipes + 1 - (text.charCodeAt(0) === PIPE ? 1 : 0) - (endsInPipe ? 1 : 0);
}
