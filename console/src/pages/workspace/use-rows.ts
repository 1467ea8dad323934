import { useMemo } from "react";
import { useConnection } from "../../app/connection-context.ts";
import { usePages } from "../../ui/use-pages.ts";

type Answer = Record<string, unknown> & { nextCursor?: string };

interface ListOptions {
  query?: Record<string, string | number | undefined>;
  refetchMs?: number;
}

/** How many rows a request of a list asks for: as many as the service gives. */
const PAGE = 1000;

/**
 * Reads a list of the tenant, page by page.
 *
 * @param path the route of the list
 * @param name the name of the rows in the answer
 */
export function useRows<Row>(path: string, name: string, { query = {}, refetchMs }: ListOptions = {}) {
  const { client } = useConnection();
  const list = usePages(
    ["table", path, query],
    (cursor) => client.request<Answer>("GET", path, { query: { limit: PAGE, ...query, cursor } }),
    refetchMs,
  );
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page[name] as Row[]) ?? [], [list.data, name]);
  return { ...list, rows };
}
