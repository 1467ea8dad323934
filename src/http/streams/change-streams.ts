import { setTimeout as pause } from "node:timers/promises";
import type { SSEMessage } from "hono/streaming";
import type { Caller } from "../../service/core/core-deps.ts";
import { changeCounterOf, readChanges } from "../../service/history/read-changes.ts";
import type { HttpDeps } from "../context.ts";

/** How often an agent's counter is looked at, and after how many looks the key is checked again. */
const EVERY_MS = 1000;
const LOOKS_A_CHECK = 10;
/** A page holds back what is younger than two seconds, so after a change the feed is read for a little longer. */
const READ_FOR_MS = 5000;
const PAGE = 500;

interface Feed {
  caller: Caller;
  agentId: string;
  since: Date | undefined;
  cursor: string | undefined;
  /** Whether the key is still good. @throws when it is not */
  checkKey(): Promise<unknown>;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Opens feeds of changes. Each is a generator of pages that have something; it looks at one counter a second, and reads only after a
 * change. The first page is read before the stream begins, so that a refusal has its status.
 */
export function createChangeStreams(deps: Pick<HttpDeps, "service" | "accepting" | "takeStreamPlace">) {
  return async (feed: Feed): Promise<AsyncIterable<SSEMessage>> => {
    const free = deps.takeStreamPlace(feed.caller);
    feed.signal.addEventListener("abort", free);
    const read: Read = (page) => readChanges(deps.service, feed.caller, feed.agentId, { ...page, limit: PAGE });
    const first = await read({ since: feed.since, cursor: feed.cursor }).catch((error: unknown) => {
      free();
      throw error;
    });
    return (async function* () {
      try {
        for await (const page of pages(deps, feed, read, first))
          yield { event: "changes", id: page.cursor, data: JSON.stringify(page) };
      } finally {
        free();
      }
    })();
  };
}

type Page = Awaited<ReturnType<typeof readChanges>>;
type Read = (page: { since?: Date | undefined; cursor?: string | undefined }) => Promise<Page>;

async function* pages(
  { service, accepting }: Pick<HttpDeps, "service" | "accepting">,
  { caller, agentId, checkKey, signal }: Feed,
  read: Read,
  first: Page,
): AsyncGenerator<Page> {
  let page = first;
  let counter = "";
  let readUntil = 0;
  for (let looks = 1; ; looks++) {
    if (page.changes.length > 0) yield page;
    if (!page.more) await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || !accepting()) return;
    if (looks % LOOKS_A_CHECK === 0) await checkKey();
    const seen = await changeCounterOf(service, caller, agentId);
    if (seen !== counter) readUntil = Date.now() + READ_FOR_MS;
    counter = seen;
    const isDue = page.more || Date.now() < readUntil;
    page = isDue ? await read({ cursor: page.cursor }) : { ...page, changes: [] };
  }
}
