import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { takesNoWrites, unlessReadOnly } from "../../base/errors.ts";
import type { Database } from "../database.ts";

/** The remaining requests of a key in the current window. */
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

/** The points of a key that this process may use. */
interface Lease {
  limit: number;
  points: number;
  /** The points of the window that nobody has taken yet. */
  others: number;
  until: number;
  /** Whether the window has no more points. */
  isLast: boolean;
}

const WINDOW_SECONDS = 60;
/**
 * A lease has a hundredth of the limit's points, and only the first request of a lease asks the
 * database.
 */
const LEASES = 100;
/** The most keys for which a process holds points. */
const MAX_KEYS = 10_000;
/** The most limits in use at once; each costs a small object. */
const MAX_LIMITS = 100;
const CLEAN_UP_MS = 300_000;

/**
 * Creates a limiter with fixed windows of a minute, counted in Postgres by rate-limiter-flexible,
 * so that several API processes share one count, by the database's clock.
 *
 * For a large limit, a process takes several points at a time. A key never makes more requests than
 * its limit, and fewer by at most a hundredth for each process that stops using it. A key over its
 * limit is refused from memory for the rest of the window. While the database takes no writes, each
 * process counts for itself, so that searches go on.
 */
export function createRateLimiter(db: Database): RateLimiter {
  // The library expects a node-postgres client. The database takes the same text and values, also
  // on PGlite.
  const client = {
    query: async ({ text, values }: { text: string; values: unknown[] }) =>
      db.executeSql(onDatabaseClock(text), [...values.slice(0, 2), WINDOW_SECONDS * 1000, Date.now()], {
        prepare: true,
      }),
  };
  let cleanUpAt = Date.now() + CLEAN_UP_MS;
  const limiterOf = byLimit((limit) => limiterOn(client, limit));
  const ownLimiterOf = byLimit((limit) => new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS }));
  const leases = new LRUCache<string, Lease>({ max: MAX_KEYS });
  const take = async (key: string, limit: number): Promise<Lease> => {
    const size = Math.max(1, Math.floor(limit / LEASES));
    const result = await limiterOf(limit)
      .consume(key, size)
      .catch((refused: unknown) => {
        if (takesNoWrites(refused)) return ownLimiterOf(limit).consume(key, size);
        throw refused;
      })
      .catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
    // The last lease may exceed the limit, and only its points within the limit count. A refusal
    // from memory does not report how many points were used.
    const within = result.consumedPoints === 0 ? 0 : limit - (result.consumedPoints - size);
    const points = Math.max(0, Math.min(size, within));
    const others = result.remainingPoints;
    const taken = { limit, points, others, until: Date.now() + Math.max(1, result.msBeforeNext), isLast: points === 0 };
    // Another request may have taken points for this process meanwhile, and further requests may be
    // about to use these points. So the new points are added to them.
    const known = leases.get(key);
    if (known?.limit === limit && known.until > Date.now())
      return Object.assign(known, { ...taken, points: known.points + points });
    leases.set(key, taken);
    return taken;
  };
  const takeShared = shared(take);
  return {
    consume: async (key, limit) => {
      if (Date.now() > cleanUpAt) {
        cleanUpAt = Date.now() + CLEAN_UP_MS;
        const stale = db.executeSql(`DELETE FROM recollect.rate_limits WHERE expire < ${NOW}`);
        await unlessReadOnly(stale.then(() => undefined));
      }
      for (;;) {
        const known = leases.get(key);
        const isUsable = known?.limit === limit && known.points > 0 && known.until > Date.now();
        const lease = isUsable ? known : await takeShared(key, limit);
        const allowed = lease.points > 0;
        // Other requests that waited for the same lease may have used all of its points.
        if (!allowed && !lease.isLast) continue;
        if (allowed) lease.points--;
        const remaining = lease.others + lease.points;
        return { allowed, limit, remaining, resetMs: Math.max(1, lease.until - Date.now()) };
      }
    },
  };
}

/** Returns a function that creates one limiter for each limit. */
function byLimit<Limiter extends object>(make: (limit: number) => Limiter): (limit: number) => Limiter {
  const made = new LRUCache<number, Limiter>({ max: MAX_LIMITS });
  return (limit) => {
    const known = made.get(limit) ?? make(limit);
    made.set(limit, known);
    return known;
  };
}

function limiterOn(client: object, limit: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: client,
    storeType: "client",
    schemaName: "recollect",
    tableName: "rate_limits",
    tableCreated: true,
    keyPrefix: "",
    // The library's own clean-up is a timer that cannot be stopped before the database closes.
    clearExpiredByTimeout: false,
    points: limit,
    duration: WINDOW_SECONDS,
    inMemoryBlockOnConsumed: limit + 1,
  });
}

type Take = (key: string, limit: number) => Promise<Lease>;

/**
 * Makes concurrent requests wait for the same lease. If each took its own, a hundred of them would
 * leave other processes none.
 */
function shared(take: Take): Take {
  const taking = new Map<string, Promise<Lease>>();
  return (key, limit) => {
    // A lease of one point serves only one request.
    if (limit < 2 * LEASES) return take(key, limit);
    const name = `${limit}:${key}`;
    const begun = taking.get(name) ?? take(key, limit).finally(() => taking.delete(name));
    taking.set(name, begun);
    return begun;
  };
}

/** The database's clock in milliseconds, as the table has times. */
const NOW = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

/**
 * Changes the library's only statement in two ways.
 *
 * The database's clock begins and ends a window: the clocks of two API processes may differ, and the
 * process whose clock is ahead would begin a new window for both. The library passes the window's end
 * as $3 and its own time as $4. Here $3 is the length of the window and $4 the process's time, to which
 * the returned end is converted.
 *
 * The count commits without waiting for the disk. A busy key's row is locked until the commit is done,
 * so with a disk that takes 5 ms to flush, a key could not make more than 200 requests a second. A
 * count that a crash loses does no harm. `SET LOCAL` would cost a transaction of three round trips.
 *
 * @throws Error if a newer library sends another statement, which would go by the process's clock
 */
function onDatabaseClock(text: string): string {
  const parts = [/\$3/, /\$4/, RETURNED];
  if (!parts.every((part) => part.test(text))) throw new Error("rate-limiter-flexible sends an unknown statement.");
  return text
    .replaceAll("$4", NOW)
    .replaceAll("$3", `(${NOW} + $3::bigint)`)
    .replace(
      RETURNED,
      `RETURNING points, expire - ${NOW} + $4::bigint AS expire, set_config('synchronous_commit', 'off', true)`,
    );
}

const RETURNED = /RETURNING points, expire\b/;
