import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";

/**
 * Reads a list of the API, page by page.
 *
 * @param fetchPage requests the page at a cursor; undefined is the cursor of the first page
 * @param refetchInterval the milliseconds after which the pages are read again; undefined: never
 */
export function usePages<Page extends { nextCursor?: string | undefined }>(
  queryKey: QueryKey,
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  refetchInterval?: number,
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
  });
}
