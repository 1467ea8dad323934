import { escapeLine, inline, tableLines } from "./document-text.ts";
import { type PageLine, textOf } from "./pdf-lines.ts";

/**
 * A heading is at least this much larger than the body text, and has at most this many characters.
 */
const HEADING_RATIO = 1.15;
const MAX_HEADING_CHARS = 200;
const MAX_LEVELS = 4;
/** A larger gap than this begins a new paragraph, in font heights. */
const PARAGRAPH_GAP = 1.7;
/** The largest distance between the edges of the cells of one column, in points. */
const COLUMN_SLACK = 4;
const BULLET = /^[•◦▪▫●○■□‣⁃∙·–]\s*(?=\S)/u;
/**
 * In a document of at least LEAST_PAGES pages, an edge line that stands at the same place on at
 * least the share MOST_PAGES of the pages is a header or footer.
 */
const LEAST_PAGES = 3;
const MOST_PAGES = 0.6;

/** The font sizes of a document by their meaning. */
export interface FontSizes {
  /** The size of most of the text. */
  body: number;
  /** The sizes of headings, the largest first. */
  headings: readonly number[];
}

/** Finds the sizes of the body text and of the headings from all lines of a document. */
export function fontSizesOf(pages: readonly (readonly PageLine[])[]): FontSizes {
  const chars = new Map<number, number>();
  for (const line of pages.flat())
    chars.set(rounded(line.size), (chars.get(rounded(line.size)) ?? 0) + textOf(line).length);
  const body = [...chars].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0] as [number, number])[0];
  const headings = [...chars.keys()].filter((size) => size >= body * HEADING_RATIO).sort((one, other) => other - one);
  return { body, headings: headings.slice(0, MAX_LEVELS) };
}

/** The number of lines at the top and at the bottom of a page that may be its header and footer. */
const EDGE_LINES = 2;

/**
 * Removes the lines at the edges that stand at one place on most pages: headers, footers, and page
 * numbers.
 */
export function withoutRepeated(pages: readonly (readonly PageLine[])[]): PageLine[][] {
  const keyOf = (line: PageLine) => `${Math.round(line.y)} ${textOf(line).replace(/\d+/g, "#")}`;
  const found = new Map<string, number>();
  const edgesOf = (page: readonly PageLine[]) => new Set([...page.slice(0, EDGE_LINES), ...page.slice(-EDGE_LINES)]);
  for (const page of pages)
    for (const key of new Set([...edgesOf(page)].map(keyOf))) found.set(key, (found.get(key) ?? 0) + 1);
  const most = pages.length < LEAST_PAGES ? Number.POSITIVE_INFINITY : pages.length * MOST_PAGES;
  // If a page has no other lines, the repeated lines are the text itself and stay.
  return pages.map((page) => {
    const edges = edgesOf(page);
    const rest = page.filter((line) => !edges.has(line) || (found.get(keyOf(line)) ?? 0) < most);
    return rest.length > 0 ? rest : [...page];
  });
}

/**
 * Turns the lines of one page into blocks of Markdown by their appearance: larger lines are
 * headings, lines with the same columns below each other are tables, and lines close to each other
 * are a paragraph.
 */
export function layOutPage(lines: readonly PageLine[], sizes: FontSizes): string[][] {
  const blocks: string[][] = [];
  let paragraph: { lines: string[]; last: PageLine } | undefined;
  for (let at = 0; at < lines.length; ) {
    const rows = tableAt(lines, at);
    const line = lines[at] as PageLine;
    const level = levelOf(line, sizes);
    if (rows.length > 0 || level > 0) paragraph = undefined;
    if (rows.length > 0) {
      blocks.push(tableLines(rows));
      at += rows.length;
      continue;
    }
    at++;
    const text = inline(textOf(line));
    if (level > 0) blocks.push([`${"#".repeat(level)} ${text}`]);
    else if (paragraph && follows(paragraph.last, line)) {
      appendLine(paragraph.lines, text);
      paragraph.last = line;
    } else {
      paragraph = { lines: [asText(text)], last: line };
      blocks.push(paragraph.lines);
    }
  }
  return blocks;
}

/**
 * Returns the rows of the table that begins at a line: at least two lines whose cells are at the
 * same places.
 */
function tableAt(lines: readonly PageLine[], start: number): string[][] {
  const [first] = lines.slice(start, start + 1);
  if (!first || first.cells.length < 2) return [];
  const rows: string[][] = [];
  for (let at = start; at < lines.length; at++) {
    const { cells } = lines[at] as PageLine;
    const columns = cells.map((cell) => first.cells.findIndex(({ x, end }) => isBelow(cell, { x, end })));
    const isRow = cells.length >= 2 && columns.every((column, index) => column > (columns[index - 1] ?? -1));
    if (!isRow) break;
    const row = first.cells.map(() => "");
    for (const [index, column] of columns.entries()) row[column] = inline(cells[index]?.text ?? "");
    rows.push(row);
  }
  return rows.length >= 2 ? rows : [];
}

/**
 * Returns whether a cell has its left edge, right edge or middle where the cell above has it:
 * columns are aligned left, right or centred.
 */
function isBelow(cell: { x: number; end: number }, above: { x: number; end: number }): boolean {
  const isNear = (one: number, other: number) => Math.abs(one - other) <= COLUMN_SLACK;
  return (
    isNear(cell.x, above.x) || isNear(cell.end, above.end) || isNear((cell.x + cell.end) / 2, (above.x + above.end) / 2)
  );
}

function levelOf(line: PageLine, { headings }: FontSizes): number {
  const size = rounded(line.size);
  const isLarge = headings.some((heading) => size >= heading);
  const text = textOf(line);
  if (!isLarge || text.length > MAX_HEADING_CHARS || !/\p{L}/u.test(text)) return 0;
  return headings.findIndex((heading) => size >= heading) + 1;
}

function follows(last: PageLine, line: PageLine): boolean {
  const gap = last.y - line.y;
  return gap > 0 && gap <= PARAGRAPH_GAP * Math.max(last.size, line.size) && rounded(last.size) === rounded(line.size);
}

/** Adds a line to a paragraph. Joins a word that was hyphenated at the end of the line before. */
function appendLine(paragraph: string[], text: string): void {
  const before = paragraph.at(-1) ?? "";
  const [, rest] = /^(\p{Ll}\S*)/u.exec(text) ?? [];
  if (rest === undefined || !/\p{L}[-\u00ad\u2010]$/u.test(before)) {
    paragraph.push(asText(text));
    return;
  }
  paragraph[paragraph.length - 1] = before.slice(0, -1) + rest;
  const more = text.slice(rest.length).trim();
  if (more !== "") paragraph.push(asText(more));
}

/** Returns a line of text. A bullet becomes an item of a list. */
function asText(line: string): string {
  return BULLET.test(line) ? line.replace(BULLET, "- ") : escapeLine(line);
}

/** Rounds to half a point, because a font may be scaled slightly. */
function rounded(size: number): number {
  return Math.round(size * 2) / 2;
}
