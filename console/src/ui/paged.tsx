import type { ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { ErrorBox } from "./error-box.tsx";
import { Loading } from "./loading.tsx";

interface PagedProps {
  list: {
    isPending: boolean;
    error: unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => Promise<unknown>;
    refetch: () => Promise<unknown>;
  };
  /** The name of the list, which the page shows while it loads. */
  what: string;
  children: ReactNode;
}

/** Shows the rows of a list, and a button for the next page if there is one. */
export function Paged({ list, what, children }: PagedProps) {
  if (list.isPending) return <Loading what={what} lines={6} />;
  if (list.error) return <ErrorBox error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <>
      {children}
      {list.hasNextPage && (
        <Button className="self-center" onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
          {texts.labels.more}
        </Button>
      )}
    </>
  );
}
