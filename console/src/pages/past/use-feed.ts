import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ChangePage } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";

const PAGE = 200;
/** Of what comes while it is followed each moment is a page; the oldest pages make room. */
const MOST_PAGES = 1000;

type Feed = InfiniteData<ChangePage, string | undefined>;

/** What happened to an agent's files and facts since a moment, page by page, and from the end on what happens. */
export function useFeed(agent: string, since: string) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const [broken, setBroken] = useState<unknown>();
  const feed = useInfiniteQuery({
    queryKey: ["changes", agent, since],
    queryFn: ({ pageParam }) => memory.changes({ ...(pageParam ? { cursor: pageParam } : { since }), limit: PAGE }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.more ? page.cursor : undefined),
    // Nothing that was shown changes; the stream goes on behind it.
    staleTime: Number.POSITIVE_INFINITY,
  });
  // While it is fetched anew the cursor is that of before.
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
