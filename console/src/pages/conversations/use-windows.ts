import { useQuery } from "@tanstack/react-query";
import { useAgent } from "../../app/connection-context.ts";

/**
 * The maximum number of pages of passages to read, each with up to 1,000 passages. A longer
 * conversation is read in pieces anyway.
 */
const MOST_PAGES = 30;
const NONE: ReadonlyMap<number, number> = new Map();

/**
 * Returns the passages in which a conversation is indexed: for each passage, the number of its last
 * message by the number of its first.
 */
export function useWindows(agent: string, path: string | undefined, shown: boolean): ReadonlyMap<number, number> {
  const memory = useAgent(agent);
  const windows = useQuery({
    queryKey: ["windows", agent, path],
    enabled: shown && path !== undefined,
    queryFn: async () => {
      const found = new Map<number, number>();
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const { chunks, nextCursor } = await memory.files.chunks(path ?? "", { cursor, limit: 1000 });
        for (const { messages } of chunks) if (messages) found.set(messages.from, messages.to);
        if (nextCursor === undefined) break;
        cursor = nextCursor;
      }
      return found;
    },
  });
  return (shown && windows.data) || NONE;
}
