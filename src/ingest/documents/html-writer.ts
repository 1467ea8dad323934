import { escapeLine, inline, UnreadableDocument } from "./document-text.ts";
import { createHtmlBlocks, isContainer } from "./html-blocks.ts";
import { createTable, type HtmlTable } from "./html-table.ts";

/** Elements whose content nobody reads. */
const UNREAD = new Set(
  "script style noscript template svg math iframe object canvas audio video map select datalist".split(" "),
);
const BLOCKS = new Set(
  "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form head header hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);
const HEADING = /^h([1-6])$/;
const MAX_URL_CHARS = 500;

/** Takes a page tag by tag. */
export interface HtmlWriter {
  open(tag: string, attributes: Record<string, string>): void;
  text(piece: string): void;
  close(tag: string): void;
  /** The page as Markdown. @throws UnreadableDocument `no text` */
  end(): string;
}

/** Text that is not written yet. */
function createPending() {
  const links: { at: number; url: string }[] = [];
  let text = "";
  const take = () => {
    const taken = text;
    [text, links.length] = ["", 0];
    return taken;
  };
  return {
    take,
    add: (piece: string) => {
      text += piece;
    },
    openLink: (url = "") => links.push({ at: text.length, url }),
    closeLink: () => {
      text = linked(text, links.pop());
    },
  };
}

/** Where text goes when its block ends: to the cell of the table that is open, or to the page. */
function createSink() {
  const blocks = createHtmlBlocks();
  const tables: HtmlTable[] = [];
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
      if (tag === "table") tables.push(createTable());
      const table = tables.at(-1);
      if (table) table.open(tag, attributes);
      else if (tag === "li") blocks.item();
      else if (isContainer(tag)) blocks.enter(tag, attributes.start);
    },
    close: (tag: string) => {
      if (tag === "table") {
        const rows = tables.pop()?.end() ?? [];
        const outer = tables.at(-1);
        if (outer) outer.text(inline(rows.join(" ")));
        else if (rows.length > 0) blocks.write(rows);
      } else if (tables.length > 0) tables.at(-1)?.close(tag);
      else if (isContainer(tag)) blocks.leave(tag);
    },
  };
}

/** Writes Markdown of tags as they come. @throws UnreadableDocument `too large` of each function */
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

/** A page without a heading of the first rank has its title as one. */
function named(title: string, lines: readonly string[]): string {
  if (lines.length === 0) throw new UnreadableDocument("no text");
  const hasName = title === "" || lines.some((line) => line.startsWith("# "));
  return [...(hasName ? [] : [`# ${title}`, ""]), ...lines, ""].join("\n");
}

/** Of a link to another place, its address beside its text. */
function linked(text: string, link: { at: number; url: string } | undefined): string {
  if (!link || link.url.length > MAX_URL_CHARS || !/^(https?:|mailto:)[^\s()<>]+$/i.test(link.url)) return text;
  const label = inline(text.slice(link.at));
  return label === "" ? text : `${text.slice(0, link.at)} [${label}](${link.url})`;
}

function fenced(code: string): string[] {
  const lines = code.toWellFormed().replace(/\r\n?/g, "\n").replace(/^\n/, "").trimEnd().split("\n");
  const longest = (code.match(/`{3,50}/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 2);
  const fence = "`".repeat(longest + 1);
  return [fence, ...lines.map((line) => line.replace(/\p{Cc}/gu, (mark) => (mark === "\t" ? mark : " "))), fence];
}
