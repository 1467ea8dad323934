import type { LRUCache } from "lru-cache";

/** How long a process caches data that comes from an agent's memory and questions. */
export const CACHE_TTL_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;

/** A cache whose entries expire. */
type Aging = Pick<LRUCache<string, object | string>, "purgeStale">;

/**
 * Purges expired entries periodically. lru-cache drops an expired entry only when it is read again,
 * and no request reads the entries of an agent that another process has erased.
 *
 * @returns a function that stops the purging
 */
export function purgeStaleEntries(caches: readonly Aging[], everyMs = LOOK_EVERY_MS): () => Promise<void> {
  const timer = setInterval(() => {
    for (const cache of caches) cache.purgeStale();
  }, everyMs);
  timer.unref();
  return async () => clearInterval(timer);
}
