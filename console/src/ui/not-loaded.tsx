import type { ReactNode } from "react";
import { ErrorBox } from "./error-box.tsx";
import { Loading } from "./loading.tsx";

interface Loadable {
  isPending: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Returns what a pane shows in place of a list that is loading or could not be loaded; undefined once
 * the list is there.
 *
 * @param what names the list, as in "Loading the facts…"
 */
export function notLoaded({ isPending, error, retry }: Loadable, what: string): ReactNode {
  if (!isPending && !error) return undefined;
  return (
    <div className="p-5">
      {isPending ? <Loading what={what} lines={8} /> : <ErrorBox error={error} onRetry={retry} />}
    </div>
  );
}
