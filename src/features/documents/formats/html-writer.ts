import { createTextBuffer, escapeLine, inline, UnreadableDocument } from "./document-text.ts";
import { createHtmlBlocks, isContainer } from "./html-blocks.ts";
import { createCellCounter, createTable, type HtmlTable } from "./html-table.ts";

/** Elements whose content is not text for readers. */
const UNREAD = new Set(
  "script style noscript template svg math iframe object canvas audio video map select datalist".split(" "),
);
const BLOCKS = new Set(
  "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form head header hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);
const HEADING = /^h([1-6])$/;
/** The attributes that are read. */
export const READ_ATTRIBUTES: ReadonlySet<string> = new Set(["alt", "colspan", "href", "rowspan", "start"]);
const MAX_URL_CHARS = 500;
/**
 * The most nested tables. The text of an inner table is read once for each table around it, so a
 * deeper table is read as plain text.
 */
const MAX_TABLES_DEEP = 8;

/** Turns a page into Markdown, tag by tag. */
export interface HtmlWriter {
  open(tag: string, attributes: Record<string, string>): void;
  text(piece: string): void;
  close(tag: string): void;
  /**
   * Returns the page as Markdown.
   *
   * @throws UnreadableDocument `no text`
   */
  end(): string;
}

/**
 * Holds text that is not written yet. A link within a link ends the outer link, as in a browser.
 */
function createPending() {
  const text = createTextBuffer();
  const label = createTextBuffer();
  let url: string | undefined;
  const endLink = (write: (label: string, url: string) => string) => {
    if (url === undefined) return;
    text.add(write(label.take(), url));
    url = undefined;
  };
  return {
    take: () => {
      endLink((unlinked) => unlinked);
      return text.take();
    },
    add: (piece: string) => (url === undefined ? text : label).add(piece),
    openLink: (to = "") => {
      endLink(linked);
      url = to;
    },
    closeLink: () => endLink(linked),
  };
}

/** Writes a block's text when the block ends: to the cell of the open table, or to the page. */
function createSink() {
  const blocks = createHtmlBlocks();
  const tables: HtmlTable[] = [];
  const countCell = createCellCounter();
  /** The number of open tables below the deepest table that is read. */
  let unread = 0;
  return {
    lines: blocks.lines,
    isInTable: () => tables.length > 0,
    write: (line: string, prefix: string) => {
      const table = tables.at(-1);
      if (line === "") return;
      if (table) table.text(line);
      else blocks.write([prefix === "" ? escapeLine(line) : prefix + line]);
    },
    writeCode: (code: string) => {
      if (code.trim() !== "") blocks.write(fenced(code));
    },
    open: (tag: string, attributes: Record<string, string>) => {
      if (tag === "table" && tables.length === MAX_TABLES_DEEP) unread++;
      else if (tag === "table") tables.push(createTable(countCell));
      const table = tables.at(-1);
      if (table && unread === 0) table.open(tag, attributes);
      else if (table) return;
      else if (tag === "li") blocks.item();
      else if (isContainer(tag)) blocks.enter(tag, attributes.start);
    },
    close: (tag: string) => {
      if (unread > 0) {
        if (tag === "table") unread--;
      } else if (tag === "table") {
        const rows = tables.pop()?.end() ?? [];
        const outer = tables.at(-1);
        if (outer) outer.text(inline(rows.join(" ")));
        else if (rows.length > 0) blocks.write(rows);
      } else if (tables.length > 0) tables.at(-1)?.close(tag);
      else if (isContainer(tag)) blocks.leave(tag);
    },
  };
}

/**
 * Writes Markdown from tags as they arrive.
 *
 * @throws UnreadableDocument `too large` from each function
 */
export function createHtmlWriter(): HtmlWriter {
  const sink = createSink();
  const pending = createPending();
  let [title, unread, isCode] = ["", 0, false];
  const flush = (prefix = "") => sink.write(inline(pending.take()), prefix);
  const endCode = () => {
    isCode = false;
    if (!sink.isInTable()) sink.writeCode(pending.take());
  };
  const endTitle = () => {
    title ||= inline(pending.take());
  };
  const inText = new Map<string, (attributes: Record<string, string>) => void>([
    ["br", () => pending.add(isCode ? "\n" : " ")],
    ["img", ({ alt = "" }) => pending.add(` ${alt} `)],
    ["a", ({ href }) => pending.openLink(href)],
  ]);
  const atEnd = new Map([
    ["a", pending.closeLink],
    ["pre", endCode],
    ["title", endTitle],
  ]);
  return {
    open: (tag, attributes) => {
      if (UNREAD.has(tag)) unread++;
      if (unread > 0) return;
      inText.get(tag)?.(attributes);
      if (isBlock(tag)) flush();
      if (tag === "pre") isCode = true;
      sink.open(tag, attributes);
    },
    text: (piece) => {
      if (unread === 0) pending.add(piece);
    },
    close: (tag) => {
      if (UNREAD.has(tag)) unread--;
      if (unread > 0) return;
      const [, level] = HEADING.exec(tag) ?? [];
      atEnd.get(tag)?.();
      if (isBlock(tag)) flush(level === undefined ? "" : `${"#".repeat(Number(level))} `);
      sink.close(tag);
    },
    end: () => {
      flush();
      return named(title, sink.lines);
    },
  };
}

function isBlock(tag: string): boolean {
  return BLOCKS.has(tag) || HEADING.test(tag);
}

/** Adds the title as a heading when the page has no heading of the first level. */
function named(title: string, lines: readonly string[]): string {
  if (lines.length === 0) throw new UnreadableDocument("no text");
  const hasName = title === "" || lines.some((line) => line.startsWith("# "));
  return [...(hasName ? [] : [`# ${title}`, ""]), ...lines, ""].join("\n");
}

/** Returns the text of a link, followed by its address if that is a web or mail address. */
function linked(text: string, url: string): string {
  if (url.length > MAX_URL_CHARS || !/^(https?:|mailto:)[^\s()<>]+$/i.test(url)) return text;
  const label = inline(text);
  return label === "" ? text : ` [${label}](${url})`;
}

function fenced(code: string): string[] {
  const lines = code.toWellFormed().replace(/\r\n?/g, "\n").replace(/^\n/, "").trimEnd().split("\n");
  const longest = (code.match(/`{3,50}/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 2);
  const fence = "`".repeat(longest + 1);
  return [fence, ...lines.map((line) => line.replace(/\p{Cc}/gu, (mark) => (mark === "\t" ? mark : " "))), fence];
}
