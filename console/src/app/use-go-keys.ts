import { useEffect, useRef } from "react";
import { navigate } from "../router/history.ts";
import { AGENT_PLACES } from "./places.ts";

/** How long after `g` the next key chooses a place. */
const WAIT_MS = 1500;

function isTyping({ target, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  const field = (target as Element | null)?.closest?.("input, textarea, select, dialog, [role=tree]");
  return metaKey || ctrlKey || altKey || Boolean(field);
}

/** Leads to a place with two keys: `g` and then the key of the place. */
export function useGoKeys(agent: string): void {
  const until = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.timeStamp < until.current) {
        until.current = 0;
        const place = AGENT_PLACES.find(({ key }) => key === event.key);
        const to = event.key === "w" ? "/workspace/overview" : place?.to;
        if (to === undefined) return;
        event.preventDefault();
        navigate({ to, params: { agent } });
      } else if (event.key === "g") {
        until.current = event.timeStamp + WAIT_MS;
        event.preventDefault();
      }
    };
    // It comes before the keys of pages, which see that the event was used.
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, [agent]);
}
