/**
 * Documents that can be read besides text, by media type: the type's name, its file ending, and the
 * packages that read it, if it needs any.
 */
export const DOCUMENT_TYPES = {
  "application/pdf": { name: "PDF", ending: /\.pdf$/i, packages: "unpdf" },
  "text/html": { name: "HTML", ending: /\.html?$/i, packages: "htmlparser2" },
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": {
    name: "DOCX",
    ending: /\.docx$/i,
    packages: "mammoth fflate htmlparser2",
  },
  "text/csv": { name: "CSV", ending: /\.csv$/i, packages: "" },
  "text/tab-separated-values": { name: "TSV", ending: /\.tsv$/i, packages: "" },
  // The format JSON Canvas, of Obsidian and others, has no registered type.
  "application/x-json-canvas": { name: "canvas", ending: /\.canvas$/i, packages: "" },
} as const;

/** The media type of a document. */
export type DocumentType = keyof typeof DOCUMENT_TYPES;

/** All media types of documents. */
export const MEDIA_TYPES = Object.keys(DOCUMENT_TYPES) as DocumentType[];

/** The longest document. While it is read, it is held in memory together with its unpacked form. */
export const MAX_DOCUMENT_BYTES = 16_000_000;

/** The endings of Markdown and plain text files. */
const TEXT_FILE = /\.(md|markdown|mdown|mkd|mdx|qmd|rmd|txt|text|rst|adoc|asciidoc|org|textile|wiki)$/i;

/**
 * Returns whether a file in a folder may become memory, judged by its name: a text, or a document that
 * the server may be able to read.
 */
export function isTaken(name: string): boolean {
  return TEXT_FILE.test(name) || documentTypeOf(name) !== undefined;
}

/** Returns whether a document is a text by itself, which may be no longer than other texts. */
export function isTextual(type: DocumentType): boolean {
  return DOCUMENT_TYPES[type].packages === "";
}

/** Returns the kind of document that a file's name states; undefined if it states none. */
export function documentTypeOf(path: string): DocumentType | undefined {
  return MEDIA_TYPES.find((type) => DOCUMENT_TYPES[type].ending.test(path));
}
