import type { SSEMessage } from "hono/streaming";
import { createFairSlots } from "../../base/fair-slots.ts";
import { runInContext } from "../../base/request-context.ts";
import { agentStatus } from "../../service/admin/agent-status.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { HttpDeps } from "../context.ts";
import { knownError } from "../render-error.ts";

/** How often a status is read; a client that polled would not read it less often. */
const EVERY_MS = 1000;
/**
 * After this many reads the keys are checked again, so that a revoked key does not go on reading.
 */
const LOOKS_A_CHECK = 10;
/**
 * After a read its slot rests this many times as long as the read took, so reads take a fifth of a
 * slot's time.
 */
const RESTS = 4;
/** The longest time that a slot rests, because other tenants wait for it as well. */
const MAX_REST_MS = 5000;

interface Watch {
  caller: Caller;
  agentId: string;
  /**
   * Resolves while the key is still good.
   *
   * @throws AppError when it is not
   */
  checkKey(): Promise<unknown>;
  /** Ends the watch. */
  signal: AbortSignal;
}

/** The statuses of one agent for one stream. */
interface StatusFeed {
  /**
   * Returns the next status, as JSON, that differs from the previous one; undefined when the stream
   * is over.
   */
  next(): Promise<string | undefined>;
  /** Ends the feed. A second call does nothing. */
  close(): void;
}

type StreamDeps = Pick<HttpDeps, "service" | "accepting" | "takeStreamPlace" | "logger">;

/** The open event streams of a process. */
export interface StatusStreams {
  /**
   * Opens a stream of an agent's status.
   *
   * @throws AppError `rate_limited` when too many are open, and the errors of `agentStatus`
   */
  open(watch: Watch): Promise<AsyncIterable<SSEMessage>>;
}

interface Watcher extends Watch, StatusFeed {
  /** Gives the watcher a status that was read after the watcher was made. */
  offer(status: string): void;
}

/** An agent with at least one stream. */
interface Watched {
  readonly tenantId: string;
  readonly agentId: string;
  readonly watchers: Set<Watcher>;
  isPolled: boolean;
  looks: number;
}

/**
 * Serves the event streams of a process. All streams of an agent share one poll. Polls take turns
 * by tenant: two at a time in the process and one per tenant. More streams therefore make statuses
 * later, but the database no slower.
 */
export function createStatusStreams(deps: StreamDeps): StatusStreams {
  const slots = createFairSlots({ total: 2, each: 1 });
  const agents = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  const tick = () => {
    for (const watched of agents.values()) {
      if (!deps.accepting()) closeAll(watched);
      else if (!watched.isPolled) void poll(deps, slots.run, watched);
    }
  };
  const add = (key: string, watcher: Watcher) => {
    const { caller, agentId } = watcher;
    const fresh = { tenantId: caller.tenantId, agentId, watchers: new Set<Watcher>(), isPolled: false, looks: 0 };
    const watched = agents.get(key) ?? fresh;
    agents.set(key, watched);
    watched.watchers.add(watcher);
    timer ??= setInterval(tick, EVERY_MS).unref();
  };
  const remove = (key: string, watcher: Watcher) => {
    const watched = agents.get(key);
    watched?.watchers.delete(watcher);
    if (watched?.watchers.size === 0) agents.delete(key);
    if (agents.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    open: async (watch) => {
      const free = deps.takeStreamPlace(watch.caller);
      // The first status is read before the stream begins, so that a refusal gets its own status
      // code.
      const first = await agentStatus(deps.service, watch.caller, watch.agentId).catch((error: unknown) => {
        free();
        throw error;
      });
      const key = `${watch.caller.tenantId} ${watch.agentId}`;
      const watcher: Watcher = { ...watch, ...newFeed() };
      const close = watcher.close;
      watcher.close = () => {
        close();
        remove(key, watcher);
        free();
      };
      watch.signal.addEventListener("abort", watcher.close, { once: true });
      watcher.offer(JSON.stringify(first));
      add(key, watcher);
      return eventsOf(watcher);
    },
  };
}

async function* eventsOf(feed: StatusFeed): AsyncGenerator<SSEMessage> {
  for (let data = await feed.next(); data !== undefined; data = await feed.next()) yield { event: "status", data };
}

/**
 * Reads an agent's status once for all its watchers. A fault ends their streams and is logged once.
 */
async function poll(
  deps: StreamDeps,
  inTurn: ReturnType<typeof createFairSlots>["run"],
  watched: Watched,
): Promise<void> {
  const { tenantId, agentId, watchers } = watched;
  const fail = (error: unknown, those: Iterable<Watcher>) => {
    for (const watcher of those) watcher.close();
    knownError(error, undefined, deps.logger);
  };
  const look = async () => {
    const began = performance.now();
    // All keys are checked at once: lookups that run together share a statement.
    if (++watched.looks % LOOKS_A_CHECK === 0)
      await Promise.all(
        [...watchers].map((watcher) => watcher.checkKey().catch((error: unknown) => fail(error, [watcher]))),
      );
    const those = [...watchers];
    const [one] = those;
    if (!one) return;
    try {
      const status = JSON.stringify(await agentStatus(deps.service, one.caller, agentId));
      for (const watcher of those) watcher.offer(status);
    } catch (error) {
      return fail(error, [...watchers]);
    }
    const restMs = Math.min(RESTS * (performance.now() - began), MAX_REST_MS);
    await new Promise((resolve) => setTimeout(resolve, restMs).unref());
  };
  watched.isPolled = true;
  try {
    // The poll has its own context, not that of the request that opened the first stream.
    await inTurn(tenantId, () => runInContext({ tenantId, agentId, statements: 0 }, look));
  } finally {
    watched.isPolled = false;
  }
}

function closeAll({ watchers }: Watched): void {
  for (const watcher of [...watchers]) watcher.close();
}

/**
 * Makes a feed that holds only the latest status, for a client that reads more slowly than the
 * status changes.
 */
function newFeed(): Pick<Watcher, "next" | "offer" | "close"> {
  let last: string | undefined;
  let unread: string | undefined;
  let closed = false;
  let wake = Promise.withResolvers<void>();
  return {
    next: async () => {
      while (unread === undefined && !closed) await wake.promise;
      const status = closed ? undefined : unread;
      unread = undefined;
      wake = Promise.withResolvers();
      return status;
    },
    offer: (status) => {
      if (status === last) return;
      last = status;
      unread = status;
      wake.resolve();
    },
    close: () => {
      closed = true;
      wake.resolve();
    },
  };
}
