import { type DocumentText, UnreadableDocument } from "./document-text.ts";
import { createHtmlWriter, type HtmlWriter, READ_ATTRIBUTES } from "./html-writer.ts";

/** The most open elements. Real pages have tens. */
const MAX_DEPTH = 1000;
/**
 * The most elements of a page. The HTML standard on one page, 14 MB, has fewer than half a million.
 */
const MAX_ELEMENTS = 2_000_000;
/** The characters that are parsed before progress is reported. */
const PIECE_CHARS = 65_536;

/**
 * Reads the text of a page as Markdown: headings, paragraphs, lists, tables, quotations, code and
 * links. Reads the page as a stream of tags, so deep or long pages cost no more than their text.
 * Loads nothing and runs nothing.
 *
 * @param advance called from time to time; an error that it throws ends the reading
 * @throws UnreadableDocument `too deep`, `too large`, `no text`
 */
export async function htmlToMarkdown(html: string, advance: () => void): Promise<DocumentText> {
  const { Parser } = await import("htmlparser2");
  const writer = createHtmlWriter();
  const parser = new Parser(readTags(writer));
  for (let at = 0; at < html.length; at += PIECE_CHARS) {
    parser.write(html.slice(at, at + PIECE_CHARS));
    advance();
  }
  parser.end();
  return { content: writer.end() };
}

/**
 * Hands a parser's events to a writer, each opening tag with the attributes that are read. The
 * parser's own `onopentag` would collect all attributes in an object, and an element may have
 * millions.
 */
function readTags(writer: HtmlWriter) {
  let [depth, elements] = [0, 0];
  let opened: { tag: string; attributes: Record<string, string> } | undefined;
  const settle = () => {
    const tag = opened;
    opened = undefined;
    if (tag) writer.open(tag.tag, tag.attributes);
  };
  return {
    onopentagname: (tag: string) => {
      settle();
      if (++depth > MAX_DEPTH) throw new UnreadableDocument("too deep");
      if (++elements > MAX_ELEMENTS) throw new UnreadableDocument("too large");
      opened = { tag, attributes: {} };
    },
    onattribute: (name: string, value: string) => {
      if (opened && READ_ATTRIBUTES.has(name)) opened.attributes[name] ??= value;
    },
    ontext: (text: string) => {
      settle();
      writer.text(text);
    },
    onclosetag: (tag: string) => {
      settle();
      depth--;
      writer.close(tag);
    },
  };
}

const latin1 = new TextDecoder("latin1");

/**
 * Decodes a page with the encoding named by its byte order mark, its sender or the page itself, in
 * this order; else as UTF-8.
 */
export function decodeHtml(bytes: Uint8Array, charset?: string): string {
  const mark = MARKS.find(([start]) => start.every((byte, at) => bytes[at] === byte))?.[1];
  const head = latin1.decode(bytes.subarray(0, 1024));
  const [, own] = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head) ?? [];
  for (const name of [mark, charset, own]) {
    try {
      if (name !== undefined) return new TextDecoder(name).decode(bytes);
    } catch {
      // An unknown encoding; the next one is tried.
    }
  }
  return new TextDecoder().decode(bytes);
}

const MARKS: [start: number[], name: string][] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
];
