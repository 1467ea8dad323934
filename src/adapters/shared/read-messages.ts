import type { AgentClient, FactScope, Message, Session } from "../../client/client.ts";

/** The maximum number of messages of one page. */
const PAGE = 1000;

/**
 * Returns the messages of a session in order, or none if the session does not exist.
 *
 * @param of `limit`: the number of last messages to return; `scope`: a session of another scope
 * counts as missing
 * @throws RecollectError
 */
export async function readMessages(
  memory: AgentClient,
  session: string,
  { limit = Infinity, scope }: { limit?: number | undefined; scope?: FactScope | undefined } = {},
): Promise<Message[]> {
  if (limit <= 0) return [];
  let after: number | undefined = 0;
  if (limit !== Infinity) {
    const page: Session | undefined = await unlessAbsent(memory.sessions.get(session, { ...scope, limit: 1 }));
    // Message numbers have no gaps, but retention removes the first messages.
    after = Math.max(0, (page?.messages[0]?.number ?? 1) - 1 + (page?.session.messages ?? 0) - limit);
  }
  const messages: Message[] = [];
  while (after !== undefined) {
    const page: Session | undefined = await unlessAbsent(
      memory.sessions.get(session, { ...scope, after, limit: PAGE }),
    );
    messages.push(...(page?.messages ?? []));
    after = page?.nextAfter;
  }
  return messages;
}

/**
 * Returns the result, or undefined if the session, file or agent does not exist (yet).
 *
 * @throws RecollectError
 */
export async function unlessAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ((error as { status?: unknown } | undefined)?.status === 404) return undefined;
    throw error;
  }
}
