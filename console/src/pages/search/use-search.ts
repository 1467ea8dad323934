import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SearchInput, SearchOptions } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { startOfDay } from "../../lib/format.ts";
import type { Search } from "../../router/address.ts";

/** Returns the search options in an address. The agent's own settings apply to missing options. */
export function optionsOf(search: Search): SearchOptions {
  const { corpus, fusion, after, before, paths, minScore, maxResults, user, asof } = search;
  const given: Record<string, unknown> = {
    corpus,
    fusion,
    after,
    before,
    paths: paths
      ?.split(",")
      .map((path) => path.trim())
      .filter((path) => path !== ""),
    minScore: minScore === undefined ? undefined : Number(minScore),
    maxResults: maxResults === undefined ? undefined : Number(maxResults),
    scope: user === undefined ? undefined : { user },
    asOf: asof === undefined ? undefined : startOfDay(asof),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Searches an agent's memory with explanations, and measures how long the answer took. */
export function useSearch(agent: string, query: string, options: SearchOptions) {
  const memory = useAgent(agent);
  const input: SearchInput = useMemo(() => ({ ...options, query, explain: true }), [options, query]);
  return useQuery({
    queryKey: ["search", agent, input],
    queryFn: async () => {
      const begun = performance.now();
      const answer = await memory.search(query, input);
      return { answer, ms: performance.now() - begun };
    },
    enabled: query !== "",
    staleTime: 60_000,
  });
}

export type Searched = NonNullable<ReturnType<typeof useSearch>["data"]>;
