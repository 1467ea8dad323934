import { setTimeout as pause } from "node:timers/promises";
import type { Caller } from "../../service/core/core-deps.ts";
import { changeCounterOf, readChanges } from "../../service/history/read-changes.ts";
import type { HttpDeps } from "../context.ts";

/**
 * How often an agent's counter is read (`EVERY_MS`), and after how many reads the key is checked
 * again (`LOOKS_A_CHECK`).
 */
const EVERY_MS = 1000;
const LOOKS_A_CHECK = 10;
/**
 * How long the feed is read after a change. A page holds back changes that are younger than two
 * seconds.
 */
const READ_FOR_MS = 5000;
const PAGE = 500;

interface Feed {
  caller: Caller;
  agentId: string;
  since: Date | undefined;
  cursor: string | undefined;
  /**
   * Resolves while the key is still good.
   *
   * @throws AppError when it is not
   */
  checkKey(): Promise<unknown>;
  /** Ends the feed. */
  signal: AbortSignal;
}

/**
 * Returns the function that opens feeds of changes. Each feed is a generator of pages that are not
 * empty. It looks at one counter a second, and reads changes only after the counter has moved. The
 * first page is read before the stream begins, so that a refusal gets its own status.
 */
export function createChangeStreams(deps: Pick<HttpDeps, "service" | "accepting" | "takeStreamPlace">) {
  return async (feed: Feed): Promise<AsyncIterable<Page>> => {
    const free = deps.takeStreamPlace(feed.caller);
    feed.signal.addEventListener("abort", free);
    const read: Read = (page) => readChanges(deps.service, feed.caller, feed.agentId, { ...page, limit: PAGE });
    const first = await read({ since: feed.since, cursor: feed.cursor }).catch((error: unknown) => {
      free();
      throw error;
    });
    return (async function* () {
      try {
        yield* pages(deps, feed, read, first);
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
