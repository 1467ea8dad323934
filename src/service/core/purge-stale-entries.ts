import type { LRUCache } from "lru-cache";

/** How long a process remembers what comes of an agent's memory and questions. */
export const CACHE_TTL_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;

/** A memory whose entries have an age. */
type Aging = Pick<LRUCache<string, object | string>, "purgeStale">;

/**
 * Forgets what is too old, asked for or not: lru-cache by itself does so only when an entry is asked for again, and nobody asks
 * for those of an agent that another process has erased.
 *
 * @returns ends it
 */
export function purgeStaleEntries(caches: readonly Aging[], everyMs = LOOK_EVERY_MS): () => Promise<void> {
  const timer = setInterval(() => {
    for (const cache of caches) cache.purgeStale();
  }, everyMs);
  timer.unref();
  return async () => clearInterval(timer);
}
