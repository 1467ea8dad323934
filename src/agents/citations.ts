import type { MemorySettings } from "./settings-schema.ts";

/** What a session's key calls a conversation of several people. */
const SHARED = new Set(["group", "channel"]);

/**
 * Whether hits have citations. `auto` shows them in a conversation with one person and leaves them out in groups and
 * channels, as the session's key tells: `{channel}:{kind}:{id}`, `{kind}:{id}`, or either behind `agent:{agentId}:`. A key
 * that does not tell, and no key at all, is a conversation with one person.
 */
export function showsCitations(mode: MemorySettings["citations"], sessionKey: string | undefined): boolean {
  return mode === "auto" ? !isShared(sessionKey ?? "") : mode === "on";
}

function isShared(sessionKey: string): boolean {
  const parts = sessionKey.toLowerCase().split(":");
  const [first = "", second = ""] = parts[0] === "agent" ? parts.slice(2) : parts;
  return SHARED.has(first) || SHARED.has(second);
}
