/**
 * Documents that can be read besides text, by media type: the type's name, its file ending, and the
 * packages that read it.
 */
export const DOCUMENT_TYPES = {
  "application/pdf": { name: "PDF", ending: /\.pdf$/i, packages: "unpdf" },
  "text/html": { name: "HTML", ending: /\.html?$/i, packages: "htmlparser2" },
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": {
    name: "DOCX",
    ending: /\.docx$/i,
    packages: "mammoth fflate htmlparser2",
  },
} as const;

/** The media type of a document. */
export type DocumentType = keyof typeof DOCUMENT_TYPES;

/** All media types of documents. */
export const MEDIA_TYPES = Object.keys(DOCUMENT_TYPES) as DocumentType[];

/** The longest document. While it is read, it is held in memory together with its unpacked form. */
export const MAX_DOCUMENT_BYTES = 16_000_000;

/** Returns the kind of document that a file's name states; undefined if it states none. */
export function documentTypeOf(path: string): DocumentType | undefined {
  return MEDIA_TYPES.find((type) => DOCUMENT_TYPES[type].ending.test(path));
}
