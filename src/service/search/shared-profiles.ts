import { LRUCache } from "lru-cache";
import { MAX_SAMPLED, type SharedProfile } from "../../db/agent/candidates/shared-profile.ts";
import { CACHE_TTL_MS } from "../core/cache-expiry.ts";

/** The most chunk ids that are cached, for all shared memories together. */
const MAX_IDS = 1_000_000;
/**
 * The share of the time that may be spent on measuring a shared part that changes all the time. A
 * measurement reads every shared chunk of the part, so it is reused for a while although the part
 * has changed since. It is reused for 30 seconds at most, because a change may have replaced every
 * chunk.
 */
const MEASURED_PART = 0.02;
const LONGEST_REUSE_MS = 30_000;

interface Measured {
  readonly profile: SharedProfile;
  /** The change counter of the index when it was measured. */
  readonly changes: string;
  readonly endedAt: number;
  readonly ms: number;
}

/** Caches measurements of the shared parts of indexes: chunk ids and counts. */
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
   * Returns the measurement of a shared part. A small part is measured again when its index has
   * changed. For a large part an older measurement is reused for a while, as a few changes hardly
   * alter it. Only one measurement of a part runs at a time.
   *
   * @param part names the shared part
   * @param changes the change counter of the index
   */
  async read(part: string, changes: string, measure: () => Promise<SharedProfile>): Promise<SharedProfile> {
    for (;;) {
      const known = this.#known.get(part);
      const running = this.#running.get(part);
      if (known && (Number(known.changes) >= Number(changes) || this.#isRecent(known))) return known.profile;
      if (known && running && isLarge(known)) return known.profile;
      if (!running) return this.#measure(part, changes, measure);
      // The caller that started the measurement gets its error. This caller tries again.
      await running.catch(() => undefined);
    }
  }

  /** Deletes expired measurements. */
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

  /**
   * Returns whether a large part was measured so recently that another measurement would take too
   * much time.
   */
  #isRecent(known: Measured): boolean {
    const reuseMs = Math.min(LONGEST_REUSE_MS, known.ms / MEASURED_PART);
    return isLarge(known) && this.#now() - known.endedAt < reuseMs;
  }
}

function isLarge({ profile }: Measured): boolean {
  return profile.chunks > MAX_SAMPLED;
}
