import { useInfiniteQuery } from "@tanstack/react-query";
import { useAgent } from "../../app/connection-context.ts";

const PAGE = 100;
/** A number behind every message. */
const END = 2_147_483_647;

type Place = { after: number } | { before: number };

/**
 * Reads the messages of a conversation around a place, and further ones in both directions.
 *
 * @param after the number of the message before the first one; undefined: from the end
 */
export function useMessages(agent: string, session: string, after: string | undefined) {
  const memory = useAgent(agent);
  const start: Place = after === undefined ? { before: END } : { after: Math.max(0, Number(after) || 0) };
  return useInfiniteQuery({
    queryKey: ["session", agent, session, start],
    queryFn: ({ pageParam }: { pageParam: Place }) => memory.sessions.get(session, { ...pageParam, limit: PAGE }),
    initialPageParam: start,
    getNextPageParam: (page): Place | undefined =>
      page.nextAfter === undefined ? undefined : { after: page.nextAfter },
    getPreviousPageParam: (page): Place | undefined => {
      const first = page.messages[0]?.number ?? 1;
      return first > 1 ? { before: first } : undefined;
    },
  });
}
