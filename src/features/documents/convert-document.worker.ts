import { threadId } from "node:worker_threads";
import type { DocumentType } from "../../service/files/document-type.ts";
import { type DocumentFault, type DocumentText, UnreadableDocument } from "./formats/document-text.ts";
import { withinProcessorTime } from "./formats/within-processor-time.ts";

/** A document for a thread to read. */
export interface ConvertRequest {
  type: DocumentType;
  bytes: Uint8Array;
  /** The encoding that the sender of the document names. */
  charset?: string | undefined;
  /**
   * Memory shared with the thread that started this one: element 0 is this thread's id, element 1
   * counts its progress.
   */
  progress: Int32Array;
}

/** The thread's result. It is plain data, so the thread can hand it over. */
export type Converted = DocumentText | { fault: DocumentFault | "package missing" };

/** Reads a document as text, in a worker thread. */
// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default async function convertDocument({ type, bytes, charset, progress }: ConvertRequest): Promise<Converted> {
  Atomics.store(progress, 0, threadId);
  const advance = () => void Atomics.add(progress, 1, 1);
  advance();
  try {
    return await READERS[type](bytes, advance, charset);
  } catch (error) {
    const code = (error as { code?: unknown } | undefined)?.code;
    if (error instanceof UnreadableDocument) return { fault: error.fault };
    if (code === "ERR_MODULE_NOT_FOUND") return { fault: "package missing" };
    return { fault: error instanceof RangeError ? "too deep" : "damaged" };
  }
}

/**
 * The most processor time for the text of one page, in milliseconds. Sixteen megabytes of the worst
 * known markup take less; a page of four million characters takes half a second.
 */
const MAX_PAGE_MS = 4000;

type Reader = (bytes: Uint8Array, advance: () => void, charset?: string) => Promise<DocumentText>;

/** The reader of each media type. It loads its package when it is first used. */
const READERS: Record<DocumentType, Reader> = {
  "application/pdf": async (bytes, advance) =>
    (await import("./formats/pdf-to-markdown.ts")).pdfToMarkdown(bytes, advance),
  "text/html": async (bytes, advance, charset) => {
    const { htmlToMarkdown, decodeHtml } = await import("./formats/html-to-markdown.ts");
    return htmlToMarkdown(decodeHtml(bytes, charset), withinProcessorTime(advance, MAX_PAGE_MS));
  },
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": async (bytes, advance) => {
    const { docxToHtml } = await import("./formats/docx-to-html.ts");
    const { htmlToMarkdown } = await import("./formats/html-to-markdown.ts");
    return htmlToMarkdown(await docxToHtml(bytes, advance), withinProcessorTime(advance, MAX_PAGE_MS));
  },
  "text/csv": async (bytes, advance, charset) =>
    (await import("./formats/csv-to-markdown.ts")).csvToMarkdown(bytes, advance, { charset }),
  "text/tab-separated-values": async (bytes, advance, charset) =>
    (await import("./formats/csv-to-markdown.ts")).csvToMarkdown(bytes, advance, {
      charset,
      delimiter: "\t",
    }),
  "application/x-json-canvas": async (bytes) =>
    (await import("./formats/canvas-to-markdown.ts")).canvasToMarkdown(bytes),
};
