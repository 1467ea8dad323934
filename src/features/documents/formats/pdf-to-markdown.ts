import type { PDFDocumentProxy, PDFPageProxy } from "unpdf/pdfjs";
import { createMarkdownLines, type DocumentText, UnreadableDocument } from "./document-text.ts";
import { fontSizesOf, layOutPage, withoutRepeated } from "./pdf-layout.ts";
import { linesOf, type PageLine, type TextPiece } from "./pdf-lines.ts";
import { readTaggedPage } from "./pdf-tags.ts";

/** The most pages. A page of text takes about ten milliseconds. */
const MAX_PAGES = 2000;
/** The most characters, the same as for a file. A document that unpacks to more is refused. */
const MAX_CHARS = 4_000_000;
/** The most pieces of one page. A full page has a few thousand. */
const MAX_PIECES = 200_000;

/** A page with its text as lines and, in a tagged PDF, also as blocks of Markdown. */
interface ReadPage {
  lines: PageLine[];
  blocks: string[][] | undefined;
}

/**
 * Reads the text of a PDF as Markdown, page by page. In a tagged PDF the tags mark headings, lists
 * and tables. In any other PDF they are recognised by the fonts and places of the lines. No script
 * runs, and no font or file is loaded.
 *
 * @param advance called after each page
 * @throws UnreadableDocument
 */
export async function pdfToMarkdown(bytes: Uint8Array, advance: () => void): Promise<DocumentText> {
  const pdf = await open(bytes);
  if (pdf.numPages > MAX_PAGES) throw new UnreadableDocument("too many pages");
  const pages: ReadPage[] = [];
  let chars = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number).then(readPage, () => ({ lines: [], blocks: undefined }));
    chars += page.lines.flatMap(({ cells }) => cells).reduce((sum, { text }) => sum + text.length, 0);
    if (chars > MAX_CHARS) throw new UnreadableDocument("too large");
    pages.push(page);
    advance();
  }
  const text = joinPages(pages);
  if (!/[\p{L}\p{N}]/u.test(text.content)) throw new UnreadableDocument("no text");
  return text;
}

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    return await getDocumentProxy(bytes, {
      // No code of the file runs: XFA forms are off, and pdf.js no longer compiles fonts to code.
      // Nothing is drawn.
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      maxImageSize: 1,
      verbosity: 0,
      useWorkerFetch: false,
    });
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "";
    if (name === "PasswordException") throw new UnreadableDocument("encrypted", cause);
    if ((cause as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") throw cause;
    throw new UnreadableDocument("damaged", cause);
  }
}

async function readPage(page: PDFPageProxy): Promise<ReadPage> {
  const [{ items }, tree] = [
    await page.getTextContent({ includeMarkedContent: true }),
    await page.getStructTree().catch(() => null),
  ];
  if (items.length > MAX_PIECES) throw new UnreadableDocument("too large");
  const { pieces, marked } = piecesOf(items);
  page.cleanup();
  return { lines: linesOf(pieces), blocks: tree ? readTaggedPage(tree, marked, pieces) : undefined };
}

/** The tag of text that screen readers skip: the headers and footers of a tagged PDF. */
const ARTIFACT = "Artifact";
type Item = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>["items"][number];

/** Returns all text of a page, and the text under each id that the tags name. */
function piecesOf(items: readonly Item[]) {
  const pieces: TextPiece[] = [];
  const marked = new Map<string, TextPiece[]>();
  const open: string[] = [];
  for (const item of items) {
    if (!("str" in item)) {
      if (item.type === "endMarkedContent") open.pop();
      else open.push((item as { tag?: unknown }).tag === ARTIFACT ? ARTIFACT : (item.id ?? open.at(-1) ?? ""));
      continue;
    }
    const id = open.at(-1) ?? "";
    if (id === ARTIFACT) continue;
    const piece = pieceOf(item);
    pieces.push(piece);
    const known = marked.get(id);
    if (known) known.push(piece);
    else marked.set(id, [piece]);
  }
  return { pieces, marked };
}

function pieceOf({ str, transform, width }: { str: string; transform: number[]; width: number }): TextPiece {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform;
  return { text: str, x, y, width, size: Math.hypot(c, d) || Math.hypot(a, b) };
}

/**
 * Joins the pages, with the line on which each begins. A page without text begins where the next
 * page does.
 */
function joinPages(read: readonly ReadPage[]): DocumentText {
  const out = createMarkdownLines();
  const pages: number[] = [];
  const plain = withoutRepeated(read.map(({ lines }) => lines));
  const sizes = fontSizesOf(plain);
  for (const [index, { blocks }] of read.entries()) {
    const start = out.lines.length;
    for (const block of blocks ?? layOutPage(plain[index] ?? [], sizes)) out.block(block);
    // A page begins after the blank line between two pages.
    pages.push(start === 0 ? 1 : start + 2);
  }
  return { content: `${out.lines.join("\n")}\n`, pages };
}
