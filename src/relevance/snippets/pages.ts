/** The pages that hold a range of lines of a document. */
export interface PageRange {
  page: number;
  /** The page of the last line, if it is another page. */
  endPage?: number;
}

/**
 * Returns the pages that hold a range of lines.
 *
 * @param starts the number of the line on which each page begins; none: the text has no pages
 */
export function pagesOf(starts: readonly number[] | null | undefined, startLine: number, endLine: number) {
  if (!starts || starts.length === 0) return {};
  // A page without text begins on the same line as the next page, and the next page has the line.
  const pageOf = (line: number) => Math.max(1, starts.findLastIndex((start) => start <= line) + 1);
  const [page, endPage] = [pageOf(startLine), pageOf(endLine)];
  return { page, ...(endPage > page ? { endPage } : {}) } satisfies PageRange;
}
