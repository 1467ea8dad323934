import { deflateSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";

/**
 * A line of text on a page of a PDF: the font size, the position in points from the lower left, and
 * the text in ASCII.
 */
export type PdfLine = readonly [size: number, x: number, y: number, text: string];

interface PdfOptions {
  /** The content that replaces the lines of each page: a raw stream with its filters. */
  stream?: { bytes: Buffer; filter: string };
  /** Whether a password protects the PDF. */
  encrypted?: boolean;
}

/** Makes a small PDF in one font, with a page for each list of lines. */
export function makePdf(pages: readonly (readonly PdfLine[])[], { stream, encrypted }: PdfOptions = {}): Buffer {
  const objects: Buffer[] = [Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")];
  const add = (...parts: (Buffer | string)[]) => objects.push(Buffer.concat(parts.map((part) => Buffer.from(part))));
  const tree = 2 * pages.length + 2;
  const kids = pages.map((lines) => {
    const { bytes, filter } = stream ?? { bytes: deflateSync(textOperators(lines)), filter: "/FlateDecode" };
    const contents = add(`<< /Length ${bytes.length} /Filter ${filter} >>\nstream\n`, bytes, "\nendstream");
    const font = "/Resources << /Font << /F1 1 0 R >> >>";
    return add(`<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] ${font} /Contents ${contents} 0 R >>`);
  });
  add(`<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] /Count ${kids.length} >>`);
  const root = add(`<< /Type /Catalog /Pages ${tree} 0 R >>`);
  const key = `<${"00".repeat(32)}>`;
  const locked = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -44 >> /ID [<00> <00>]`;
  return assemble(objects, `/Root ${root} 0 R ${encrypted ? locked : ""}`);
}

function textOperators(lines: readonly PdfLine[]): Buffer {
  const escaped = (text: string) => text.replace(/[\\()]/g, "\\$&");
  const operators = lines.map(
    ([size, x, y, text]) => `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(text)}) Tj ET`,
  );
  return Buffer.from(operators.join("\n"), "latin1");
}

function assemble(objects: readonly Buffer[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  const push = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(at);
    push(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} ${trailer} >>\nstartxref\n${at}\n%%EOF`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}

/** Places lines below each other from the top of a page. */
export function column(lines: readonly string[], size = 11): PdfLine[] {
  return lines.map((text, index) => [size, 72, 700 - 1.3 * size * index, text]);
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const OFFICE = "http://schemas.openxmlformats.org";

/** Makes a paragraph of a Word document. @param style `Heading1`, or none */
export function wordParagraph(text: string, style?: string): string {
  const properties = style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

export function wordTable(rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join("");
  return `<w:tbl>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join("")}</w:tbl>`;
}

/** Makes a small DOCX. @param body its paragraphs and tables @param more further parts by name */
export function makeDocx(body: string | Uint8Array, more: Record<string, Uint8Array> = {}): Buffer {
  const text = (xml: string) => strToU8(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
  const part = `<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>`;
  return Buffer.from(
    zipSync(
      {
        "[Content_Types].xml": text(
          `<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>${part}</Types>`,
        ),
        "_rels/.rels": text(
          `<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
        ),
        "word/document.xml":
          typeof body === "string" ? text(`<w:document ${WORD}><w:body>${body}</w:body></w:document>`) : body,
        "word/styles.xml": text(
          `<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
        ),
        ...more,
      },
      { level: 9 },
    ),
  );
}

export const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
