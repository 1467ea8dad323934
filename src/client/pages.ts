import { fieldsOf } from "./transport.ts";

/** The page of a list to read. */
export interface Page {
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** The number of rows, at most 1,000; default: 100. */
  limit?: number | undefined;
}

/** Yields the rows of all pages of a list. */
export async function* pages<P extends { nextCursor?: string | undefined }, Q, Row>(
  list: (query: Q & Page) => Promise<P>,
  query: Q,
  rowsOf: (page: P) => readonly Row[],
): AsyncGenerator<Row> {
  let cursor: string | undefined;
  do {
    const page = await list({ ...fieldsOf(query), ...(cursor === undefined ? {} : { cursor }) });
    yield* rowsOf(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
