import type { MemorySettings } from "./settings-schema.ts";

/** The words for a conversation of several people in a session's key. */
const SHARED = new Set(["group", "channel"]);

/**
 * Returns whether hits have citations. `auto` shows them in a conversation with one person and
 * leaves them out in groups and channels. The session's key tells which it is:
 * `{channel}:{kind}:{id}`, `{kind}:{id}`, or either behind one or more `agent:{agentId}:`. A key that does not
 * tell, or no key at all, counts as a conversation with one person.
 */
export function showsCitations(mode: MemorySettings["citations"], sessionKey: string | undefined): boolean {
  return mode === "auto" ? !isShared(sessionKey ?? "") : mode === "on";
}

function isShared(sessionKey: string): boolean {
  const name = sessionKey.toLowerCase().replace(/^(?:agent:[^:]*:)+/, "");
  const [first = "", second = ""] = name.split(":", 2);
  return SHARED.has(first) || SHARED.has(second);
}
