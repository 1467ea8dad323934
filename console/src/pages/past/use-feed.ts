import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ChangePage } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";

const PAGE = 200;
/**
 * The maximum number of pages to keep. Each event of the stream adds a page, and the oldest pages
 * are dropped.
 */
const MOST_PAGES = 1000;

type Feed = InfiniteData<ChangePage, string | undefined>;

/**
 * Reads the changes to an agent's files and facts since a time, page by page. After the last page,
 * follows the stream of new changes.
 */
export function useFeed(agent: string, since: string) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const [broken, setBroken] = useState<unknown>();
  const feed = useInfiniteQuery({
    queryKey: ["changes", agent, since],
    queryFn: ({ pageParam }) => memory.changes({ ...(pageParam ? { cursor: pageParam } : { since }), limit: PAGE }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.more ? page.cursor : undefined),
    // The pages that were read never change. The stream adds the later ones.
    staleTime: Number.POSITIVE_INFINITY,
  });
  // While the pages are read again, the cursor of the last page is still the old one.
  const isAtEnd = feed.isSuccess && !feed.isFetching && !feed.hasNextPage;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the client of an agent is made anew on each render.
  useEffect(() => {
    if (!isAtEnd) return;
    const queryKey = ["changes", agent, since];
    const stop = new AbortController();
    const follow = async () => {
      const cursor = queries.getQueryData<Feed>(queryKey)?.pages.at(-1)?.cursor;
      for await (const page of memory.watchChanges({ cursor, signal: stop.signal }))
        queries.setQueryData<Feed>(queryKey, (known) => known && joined(known, page));
    };
    setBroken(undefined);
    follow().catch((cause: unknown) => {
      if (!stop.signal.aborted) setBroken(cause);
    });
    return () => stop.abort();
  }, [agent, since, isAtEnd, queries]);
  return { feed, broken };
}

function joined({ pages, pageParams }: Feed, page: ChangePage): Feed {
  return {
    pages: [...pages, page].slice(-MOST_PAGES),
    pageParams: [...pageParams, pages.at(-1)?.cursor].slice(-MOST_PAGES),
  };
}
