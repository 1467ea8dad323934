import { sha256 } from "../../base/ids.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { firstMessages, type MessageDigest } from "../../db/agent/sessions/messages.ts";
import { normaliseMessage } from "../../ingest/session-windows.ts";

interface SentMessage {
  id?: string | undefined;
  role: string;
  name?: string | undefined;
  text: string;
  at?: Date | undefined;
}

/** Returns whether a message has no text. Such a message is not stored. */
export function isEmpty(text: string): boolean {
  return text.trim() === "";
}

/**
 * Returns the places of the messages that a session has already, if its whole conversation was sent
 * again from the start: hosts without ids of messages do so every turn. All messages of the session
 * must come first, in their order, and more must follow. Without a message that follows, only a whole
 * exchange counts as sent again, since somebody may say "yes" twice.
 */
export async function resentPlaces(
  sql: Pick<AgentReads, "executeSql" | "schema">,
  session: { id: string; lastSeq: number } | undefined,
  given: readonly SentMessage[],
): Promise<ReadonlySet<number>> {
  const sent = [...given.entries()].filter(([, { text }]) => !isEmpty(text));
  const count = session?.lastSeq ?? 0;
  if (!session || count === 0 || sent.length < count || sent.some(([, { id }]) => id !== undefined)) return new Set();
  const begins = sent.slice(0, count);
  const isExchange = new Set(begins.map(([, { role }]) => role)).size > 1;
  if (sent.length === count && !isExchange) return new Set();
  const stored = await firstMessages(sql, sql.schema, session.id, count);
  // A session whose first messages were removed by the retention has fewer.
  const isSame = stored.length === count && begins.every(([, message], at) => isStored(message, stored[at]));
  return new Set(isSame ? begins.map(([place]) => place) : []);
}

function isStored({ role, name, text, at }: SentMessage, stored: MessageDigest | undefined): boolean {
  if (!stored || stored.role !== role || stored.name !== (name ?? null)) return false;
  if (at !== undefined && stored.at.getTime() !== at.getTime()) return false;
  return stored.digest === sha256(normaliseMessage(text));
}
