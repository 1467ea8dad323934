import { LRUCache } from "lru-cache";
import { MAX_SAMPLED, type SharedProfile } from "../../db/agent/search/shared-profile.ts";
import { CACHE_TTL_MS } from "../core/cache-expiry.ts";

/** So many ids of chunks are remembered, of all shared memories together. */
const MAX_IDS = 1_000_000;
/**
 * Measuring reads every shared chunk. A large part that changes all the time is measured for at most this part of the time, but twice
 * a minute in any case: a change may have replaced all of its chunks.
 */
const MEASURED_PART = 0.02;
const LONGEST_REUSE_MS = 30_000;

interface Measured {
  readonly profile: SharedProfile;
  /** The index's number of changes. */
  readonly changes: string;
  readonly endedAt: number;
  readonly ms: number;
}

/** Measurements of the shared parts of indexes: ids and counts. */
export class SharedProfiles {
  readonly #known = new LRUCache<string, Measured>({
    maxSize: MAX_IDS,
    ttl: CACHE_TTL_MS,
    sizeCalculation: ({ profile }) => profile.sample.length + 10,
  });
  readonly #running = new Map<string, Promise<SharedProfile>>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * The measurement of a shared part. A small part is measured again when its index has changed. Of a large part an older measurement
   * serves for a while, as a few changes hardly alter it. Each part is measured once at a time.
   *
   * @param part names the shared part
   * @param changes the index's number of changes
   */
  async read(part: string, changes: string, measure: () => Promise<SharedProfile>): Promise<SharedProfile> {
    for (;;) {
      const known = this.#known.get(part);
      const running = this.#running.get(part);
      if (known && (Number(known.changes) >= Number(changes) || this.#isRecent(known))) return known.profile;
      if (known && running && isLarge(known)) return known.profile;
      if (!running) return this.#measure(part, changes, measure);
      // Whoever measures is told of a fault.
      await running.catch(() => undefined);
    }
  }

  /** Forgets what has expired. */
  purgeStale(): boolean {
    return this.#known.purgeStale();
  }

  #measure(part: string, changes: string, measure: () => Promise<SharedProfile>): Promise<SharedProfile> {
    const begun = this.#now();
    const measuring = measure()
      .then((profile) => {
        const endedAt = this.#now();
        this.#known.set(part, { profile, changes, endedAt, ms: endedAt - begun });
        return profile;
      })
      .finally(() => this.#running.delete(part));
    this.#running.set(part, measuring);
    return measuring;
  }

  /** Whether a large part was measured so shortly ago that another measurement would take too much of the time. */
  #isRecent(known: Measured): boolean {
    const reuseMs = Math.min(LONGEST_REUSE_MS, known.ms / MEASURED_PART);
    return isLarge(known) && this.#now() - known.endedAt < reuseMs;
  }
}

function isLarge({ profile }: Measured): boolean {
  return profile.chunks > MAX_SAMPLED;
}
