import { LRUCache } from "lru-cache";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Database } from "../database.ts";

/** What is left of a key's requests in the current window. */
export interface RateLimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
}

export interface RateLimiter {
  /** Counts one request of `key` against `limit` a minute, over all processes on this database. */
  consume(key: string, limit: number): Promise<RateLimitState>;
}

const WINDOW_SECONDS = 60;
/** Different limits in use at once; each costs a small object. */
const MAX_LIMITS = 100;
const CLEAN_UP_MS = 300_000;

/**
 * Fixed windows of a minute, counted in Postgres by rate-limiter-flexible: one upsert a request, so that several API
 * processes share one count. A key over its limit is refused from memory for the rest of the window, without the database.
 */
export function createRateLimiter(db: Database): RateLimiter {
  // The library speaks to node-postgres; the seam takes the same text and values, on PGlite too.
  const client = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => db.executeSql(withoutFlush(text), values),
  };
  const limiters = new LRUCache<number, RateLimiterPostgres>({ max: MAX_LIMITS });
  let cleanUpAt = Date.now() + CLEAN_UP_MS;
  const limiterOf = (limit: number): RateLimiterPostgres => {
    const known = limiters.get(limit);
    if (known) return known;
    const made = new RateLimiterPostgres({
      storeClient: client,
      storeType: "client",
      schemaName: "recollect",
      tableName: "rate_limits",
      tableCreated: true,
      keyPrefix: "",
      // Its own clean-up is a timer that nothing can stop before the database closes.
      clearExpiredByTimeout: false,
      points: limit,
      duration: WINDOW_SECONDS,
      inMemoryBlockOnConsumed: limit + 1,
    });
    limiters.set(limit, made);
    return made;
  };
  return {
    consume: async (key, limit) => {
      const limiter = limiterOf(limit);
      if (Date.now() > cleanUpAt) {
        cleanUpAt = Date.now() + CLEAN_UP_MS;
        await db.executeSql("DELETE FROM recollect.rate_limits WHERE expire < $1", [Date.now()]);
      }
      try {
        return toState(true, limit, await limiter.consume(key));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return toState(false, limit, refused);
      }
    },
  };
}

/**
 * Lets the count commit without waiting for the disk. The row of a busy key is locked until its commit is done, so with a
 * disk that takes 5 ms to flush a key could not make more than 200 requests a second; a count that a crash loses does no
 * harm. `SET LOCAL` would cost a transaction of three round trips.
 */
function withoutFlush(text: string): string {
  return text.replace(/RETURNING points, expire\b/, "$&, set_config('synchronous_commit', 'off', true)");
}

function toState(allowed: boolean, limit: number, result: RateLimiterRes): RateLimitState {
  return { allowed, limit, remaining: result.remainingPoints, resetMs: Math.max(1, result.msBeforeNext) };
}
