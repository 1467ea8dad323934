import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { type Coalescer, createCoalescer } from "../../base/coalesce-requests.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { findApiKeys, type KeyLookup } from "../../db/control/api-keys.ts";
import type { SqlExecutor } from "../../db/database.ts";

/**
 * Finds the stored rows of presented keys. Rows are not cached: each is read after `find` was
 * called, so a revocation takes effect at once in every process.
 */
export interface KeyLookups {
  /**
   * @throws AppError `rate_limited` if too many keys wait to be looked up that were never good in
   *   this process
   */
  find(key: string, prefix: string): Promise<KeyLookup | undefined>;
  /** Records whether the key was good, which decides how its next lookup waits. */
  note(key: string, isGood: boolean): void;
}

/** The most good keys that are remembered, by their hashes. */
const MOST_KNOWN = 10_000;
/**
 * The most other keys that wait to be looked up. With a statement every `EVERY_MS` and 64 keys to a
 * statement, they wait for at most a second.
 */
const MOST_WAITING = 2000;
/**
 * The interval between statements for other keys while some of them are unknown; `UNTIL_MS` is how
 * long the pace holds after the last unknown key.
 */
const EVERY_MS = 25;
const UNTIL_MS = 1000;

type Found = ReadonlyMap<string, KeyLookup>;

/**
 * Creates the key lookups. They limit a flood of made-up keys to forty statements a second, without
 * delaying the keys in use. A key that was good before is looked up at once, with its own
 * statement, so its revocation takes effect in the next request. All other keys share statements. A
 * new key waits for its turn among them, and is never refused because it was unknown a moment ago.
 */
export function createKeyLookups(sql: SqlExecutor): KeyLookups {
  const known = new LRUCache<string, true>({ max: MOST_KNOWN });
  const coalesced: Coalescer<string, Found> = createCoalescer();
  let [waiting, pacedUntil, nextAt] = [0, 0, 0];
  const atPace = async (prefixes: readonly string[]): Promise<Found> => {
    const now = performance.now();
    if (now < pacedUntil) {
      const at = Math.max(now, nextAt);
      nextAt = at + EVERY_MS;
      await pause(at - now);
    }
    const found = await findApiKeys(sql, prefixes);
    if (prefixes.some((prefix) => !found.has(prefix))) pacedUntil = performance.now() + UNTIL_MS;
    return found;
  };
  const findStranger = async (prefix: string): Promise<Found> => {
    if (waiting >= MOST_WAITING)
      throw new AppError("rate_limited", "Too many unknown keys are sent to this server; try again in a second.", {
        details: { retryAfterSeconds: 1 },
      });
    waiting++;
    // All of these keys share the queue with the empty name, which is not the prefix of any key.
    return coalesced("", prefix, atPace).finally(() => waiting--);
  };
  return {
    find: async (key, prefix) => {
      const found = known.has(sha256(key))
        ? await coalesced(prefix, prefix, () => findApiKeys(sql, [prefix]))
        : await findStranger(prefix);
      return found.get(prefix);
    },
    note: (key, isGood) => {
      if (isGood) known.set(sha256(key), true);
      else known.delete(sha256(key));
    },
  };
}
