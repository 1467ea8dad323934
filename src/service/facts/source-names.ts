import { sessionOfPath, wholeSessionKey } from "../../settings/memory-path.ts";

/**
 * Returns the texts by which facts may name a source: callers write a session as its name, as its
 * whole key, or as its path.
 *
 * @param given one of these, or the path of a file
 */
export function sourceNames(agentId: string, given: string): string[] {
  const text = given.normalize("NFC");
  const prefix = wholeSessionKey(agentId, "");
  const key = sessionOfPath(text) ?? (text.startsWith(prefix) ? text.slice(prefix.length) : text);
  return [...new Set([text, key, prefix + key])];
}
