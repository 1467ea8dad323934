/** What a file's text was read from. */
export interface FileOriginal {
  /** SHA-256 of its bytes, in hex. */
  hash: string;
  /** Its media type. */
  type: string;
  /** In bytes. */
  size: number;
  /** The number of the line on which each page begins, in page order; absent: it has no pages. */
  pages?: number[] | undefined;
}

/**
 * The document that a file's text is of, as SQL. A write by a process that knows of none leaves the column as it was, but not the hash.
 *
 * @param from the table's name in the statement, with a dot
 */
export function originalSql(from = ""): string {
  return `CASE WHEN ${from}original->>'text' = ${from}content_hash THEN ${from}original - 'text' END`;
}
