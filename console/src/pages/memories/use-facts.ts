import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Fact, FactFilter } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useDelayedIds } from "../../lib/delayed.ts";
import { useMore } from "../../ui/use-more.ts";
import { usePages } from "../../ui/use-pages.ts";

const PAGE = 200;
/** A filter of fewer letters is not tried by meaning. */
const FEWEST_LETTERS = 3;
const MOST_CLOSE = 20;

/**
 * Reads the facts of a filter, page by page. If no fact has the words of the filter, reads the facts
 * that are closest to them in meaning.
 */
export function useFacts(agent: string, filter: FactFilter) {
  const memory = useAgent(agent);
  const delayed = useDelayedIds();
  const list = usePages(["facts", agent, filter], (cursor) =>
    memory.facts.list({ ...filter, limit: PAGE, cursor, ...(cursor === undefined ? { total: true } : {}) }),
  );
  const more = useMore(list);
  const first = list.data?.pages[0];
  const isEmpty = first !== undefined && first.facts.length === 0;
  const words = filter.q ?? "";
  const close = useQuery({
    queryKey: ["facts", agent, "close", filter],
    queryFn: () => memory.facts.search(words, closeOptions(filter)),
    enabled: isEmpty && words.length >= FEWEST_LETTERS,
  });
  const facts = useMemo((): readonly Fact[] => {
    const all = list.data?.pages.flatMap((page) => page.facts) ?? [];
    const shown = isEmpty ? (close.data?.facts ?? []) : all;
    return shown.filter(({ id }) => !delayed.has(factKey(agent, id)));
  }, [list.data, isEmpty, close.data, delayed, agent]);
  const hidden = (list.data?.pages.flatMap((page) => page.facts).length ?? 0) - facts.length;
  return {
    facts,
    /** How many facts the filter has; undefined while it is not known. */
    total: first?.total === undefined ? undefined : Math.max(0, first.total - (isEmpty ? 0 : hidden)),
    isExact: first?.totalIsExact !== false,
    /** Whether the facts are only close to the words in meaning. */
    isClose: isEmpty && facts.length > 0,
    isPending: list.isPending || (isEmpty && close.isLoading),
    error: list.error,
    retry: () => void list.refetch(),
    more,
  };
}

function closeOptions({ subject, user, category, minImportance, asOf }: FactFilter) {
  return {
    maxResults: MOST_CLOSE,
    ...(subject === undefined ? {} : { subject }),
    ...(user === undefined ? {} : { scope: { user } }),
    ...(category === undefined ? {} : { categories: [category] }),
    ...(minImportance === undefined ? {} : { minImportance }),
    ...(asOf === undefined ? {} : { asOf }),
  };
}

/** Returns the id of a fact among all that is done later. */
export function factKey(agent: string, id: string): string {
  return `fact ${agent} ${id}`;
}
