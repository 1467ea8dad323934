import type { ReactNode } from "react";
import { useConnection } from "../app/connection-context.ts";
import { texts } from "../texts/texts.ts";
import { Empty } from "./empty.tsx";
import { ErrorBox } from "./error-box.tsx";
import { Loading } from "./loading.tsx";
import { Scroll } from "./scroll.tsx";
import { usePages } from "./use-pages.ts";

interface PagedTableProps<Row> {
  /** The table's name for screen readers. */
  label: string;
  /** The route of a list in the API. `rows` is the name of the list's rows in the answer. */
  path: string;
  rows: string;
  query?: Record<string, string | number | undefined>;
  columns: Record<string, (row: Row) => ReactNode>;
  keyOf: (row: Row) => string;
  empty: string;
  refetchMs?: number;
}

type Answer = Record<string, unknown> & { nextCursor?: string };

/** Shows a list of the API as a table, page by page. */
export function PagedTable<Row>({
  label,
  path,
  rows,
  query = {},
  columns,
  keyOf,
  empty,
  refetchMs,
}: PagedTableProps<Row>) {
  const { client } = useConnection();
  const list = usePages(
    ["table", path, query],
    (cursor) => client.request<Answer>("GET", path, { query: { limit: 100, ...query, cursor } }),
    refetchMs,
  );
  if (list.isPending) return <Loading what={texts.labels.theList} />;
  if (list.error) return <ErrorBox error={list.error} onRetry={() => void list.refetch()} />;
  const all = list.data.pages.flatMap((page) => page[rows] as Row[]);
  if (all.length === 0) return <Empty title={empty} />;
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            {Object.keys(columns).map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {all.map((row) => (
            <tr key={keyOf(row)}>
              {Object.entries(columns).map(([name, show]) => (
                <td key={name}>{show(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {list.hasNextPage && (
        <button type="button" onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
          {texts.labels.more}
        </button>
      )}
    </Scroll>
  );
}
