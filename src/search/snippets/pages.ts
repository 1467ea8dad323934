/** The pages that lines of a document are on. */
export interface PageRange {
  page: number;
  /** Of the last line, if it is on another page. */
  endPage?: number;
}

/**
 * The pages of some lines.
 *
 * @param starts the number of the line on which each page begins; none: the text has no pages
 */
export function pagesOf(starts: readonly number[] | null | undefined, startLine: number, endLine: number) {
  if (!starts || starts.length === 0) return {};
  // A page without text begins where the next does, which is the one that has the line.
  const pageOf = (line: number) => Math.max(1, starts.findLastIndex((start) => start <= line) + 1);
  const [page, endPage] = [pageOf(startLine), pageOf(endLine)];
  return { page, ...(endPage > page ? { endPage } : {}) } satisfies PageRange;
}
