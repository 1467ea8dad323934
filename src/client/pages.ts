/** Which page of a list. */
export interface Page {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Rows, at most 1,000; default: 100. */
  limit?: number | undefined;
}

/** The rows of all pages of a list. */
export async function* pages<P extends { nextCursor?: string | undefined }, Q, Row>(
  list: (query: Q & Page) => Promise<P>,
  query: Q,
  rowsOf: (page: P) => readonly Row[],
): AsyncGenerator<Row> {
  let cursor: string | undefined;
  do {
    const page = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    yield* rowsOf(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
