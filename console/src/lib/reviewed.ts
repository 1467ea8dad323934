import { useMemo } from "react";
import { usePreference } from "./preference.ts";

/** The most facts whose review a browser remembers. The oldest reviews are dropped first. */
const MOST = 5000;

/** Returns the facts of an agent that somebody has reviewed in this browser, and notes reviews. */
export function useReviewed(agent: string) {
  const [stored, store] = usePreference(`reviewed.${agent}`);
  const reviewed: ReadonlySet<string> = useMemo(() => new Set(stored?.split(" ")), [stored]);
  const keep = (ids: readonly string[]) => store([...new Set([...reviewed, ...ids])].slice(-MOST).join(" "));
  return { reviewed, keep };
}
