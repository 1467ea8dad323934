import { useSyncExternalStore } from "react";

/** The width below which a page has one pane. It is the breakpoint `md` of the stylesheet. */
const narrow = matchMedia("(max-width: 49.99rem)");

/** Returns whether the window has room for one pane only, as on a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(listen, () => narrow.matches);
}

function listen(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}
