import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";

/**
 * A list of the API, page by page.
 *
 * @param fetchPage asks for the page at a cursor; undefined: the first
 * @param refetchInterval milliseconds after which the pages are asked for again; undefined: they are not
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
