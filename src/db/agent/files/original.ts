/** The document that a file's text was read from. */
export interface FileOriginal {
  /** The SHA-256 of the document's bytes, in hex. */
  hash: string;
  /** The document's media type. */
  type: string;
  /** The document's size in bytes. */
  size: number;
  /**
   * The number of the line on which each page begins, in page order; missing when the document has
   * no pages.
   */
  pages?: number[] | undefined;
}

/**
 * Returns SQL for the document of a file's text. A write by a process that does not know this
 * column changes the content hash but leaves the column as it was, so a document with another hash
 * is out of date.
 *
 * @param from the table's name in the statement, with a dot
 */
export function originalSql(from = ""): string {
  return `CASE WHEN ${from}original->>'text' = ${from}content_hash THEN ${from}original - 'text' END`;
}
