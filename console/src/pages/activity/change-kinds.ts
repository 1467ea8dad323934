import type { Change } from "recollect/client";
import type { Target } from "../../router/address.ts";

/** The kinds of changes after which the thing cannot be shown any more. */
const GONE = new Set(["fact.forgotten", "fact.expired", "fact.withdrawn"]);

/** Returns the view that shows what a change is about, or undefined if it is gone. */
export function targetOfChange(agent: string, { kind, path, version }: Change): Target | undefined {
  if (GONE.has(kind)) return undefined;
  const params = { agent };
  if (kind.startsWith("fact."))
    return { to: "/agents/$agent/memories", params, search: { id: path.split("/").at(-1) } };
  if (kind.startsWith("session."))
    return { to: "/agents/$agent/conversations", params, search: { session: path.replace(/^sessions\//, "") } };
  return { to: "/agents/$agent/files", params, search: { path, version } };
}

/** Returns the colour of the kind of memory that a change is about. */
export function toneOfChange(kind: string): "fact" | "file" | "chat" {
  if (kind.startsWith("fact.")) return "fact";
  return kind.startsWith("session.") ? "chat" : "file";
}
