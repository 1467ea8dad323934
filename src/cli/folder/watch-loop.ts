import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createWatchQueue, type WatchQueue } from "./watch-queue.ts";
import { type StartSource, startSource, type WatchSource } from "./watch-source.ts";

/** How often the folder itself is looked at, and a queue that was empty, in milliseconds. */
const TICK_MS = 1000;
const POLL_MS = 3000;
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;
/** Codes of a system that allows no more watches, or no more open files. */
const TOO_MANY = new Set(["ENOSPC", "EMFILE"]);

export interface WatchBatch {
  /** Paths below the root that changed, each with all that is in it; `""` is everything. */
  paths: ReadonlySet<string>;
  /** The first batch, and the first after trouble: what was known may not hold any more. */
  fresh: boolean;
  /** Whether a path, or a folder it is in, has changed since the batch was taken. */
  isMoving(path: string): boolean;
}

export type WatchEvent =
  | { event: "folder-away" }
  | { event: "folder-back" }
  | { event: "away"; reason: string }
  | { event: "back"; seconds: number }
  | { event: "polling"; reason: string }
  | { event: "trouble"; reason: string };

export interface WatchLoopOptions {
  root: string;
  /** How long changes must rest. */
  quietMs(): number;
  /** A filter of what to watch, asked anew when the source starts. */
  createFilter(root: string): (path: string, stats: Stats) => boolean;
  /** Whether a change of this path makes the filter another. */
  changesFilter(path: string): boolean;
  /** Does what has to be done about a batch. @returns paths to look at once more */
  handle(batch: WatchBatch): Promise<readonly string[]>;
  /** Why the batch should be tried again later; undefined for an error that ends the watch. */
  outageReason(error: unknown): string | undefined;
  tell(event: WatchEvent): void;
  /** Stops the loop: what is pending is handled, unless there is an outage. */
  signal: AbortSignal;
  startSource?: StartSource;
}

/**
 * Watches a folder and hands over what changed, in batches, one at a time. It knows nothing of what is done with them. The
 * first batch is everything; so is the first after an outage of `handle`, after the folder was away or replaced, and after
 * the filter changed. While `handle` is at work or away, changes collect.
 */
export class WatchLoop {
  readonly #options: WatchLoopOptions;
  readonly #queue: WatchQueue;
  #source: WatchSource | undefined;
  /** Which folder the source watches. */
  #identity: string | undefined;
  /** Whether the folder was a disk of its own when it was first seen. */
  #wasMounted: boolean | undefined;
  #polls = false;
  #folderAway = false;
  /** The next batch is everything, at once. */
  #whole = true;
  #fresh = true;
  /** Since when `handle` fails, and how often it did. */
  #outage: { since: number; tries: number } | undefined;

  constructor(options: WatchLoopOptions) {
    this.#options = options;
    this.#queue = createWatchQueue(options.quietMs, () => performance.now());
  }

  /** Runs until the signal. @returns whether everything was handled; false when an outage or the folder prevented it */
  async run(): Promise<boolean> {
    const { signal } = this.#options;
    try {
      while (!signal.aborted) {
        if (await this.#isWatching()) await this.#next();
        else await this.#pause(TICK_MS);
      }
      return await this.#flush();
    } finally {
      await this.#closeSource();
    }
  }

  /** Makes sure that the folder is there and watched. One that was replaced is another, whatever its name. */
  async #isWatching(): Promise<boolean> {
    const { root, tell } = this.#options;
    const identity = await this.#identify();
    if (identity !== undefined && identity === this.#identity) return true;
    await this.#closeSource();
    const real = await realpath(root).catch(() => undefined);
    if (identity === undefined || real === undefined) {
      if (!this.#folderAway) tell({ event: "folder-away" });
      this.#folderAway = true;
      return false;
    }
    // Before the start: trouble while starting takes it away again.
    this.#identity = identity;
    await this.#startSource(real);
    if (this.#folderAway) tell({ event: "folder-back" });
    this.#folderAway = false;
    this.#whole = true;
    return this.#identity !== undefined;
  }

  /** Tells a folder from another one that took its name; undefined when it is away. */
  async #identify(): Promise<string | undefined> {
    const { root } = this.#options;
    // Not joined: the system must follow a symbolic link before it goes up.
    const [stats, parent] = await Promise.all([root, `${root}/..`].map((path) => stat(path).catch(() => undefined)));
    if (!stats?.isDirectory()) return undefined;
    const isMounted = stats.dev !== parent?.dev;
    this.#wasMounted ??= isMounted;
    // What an unmounted disk leaves is a folder, too, perhaps with a file that was written there by mistake.
    return this.#wasMounted && !isMounted ? undefined : `${stats.dev}:${stats.ino}`;
  }

  async #startSource(root: string): Promise<void> {
    const { startSource: start = startSource, createFilter, signal } = this.#options;
    const options = {
      ignored: createFilter(root),
      pollMs: this.#polls ? POLL_MS : undefined,
      onChange: (path: string) => this.#queue.mark(path),
      onTrouble: (error: unknown) => this.#onTrouble(error),
    };
    this.#source = await start(root, options, signal);
  }

  async #closeSource(): Promise<void> {
    this.#identity = undefined;
    await this.#source?.close();
    this.#source = undefined;
  }

  #onTrouble(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code ?? message;
    if (!TOO_MANY.has(reason)) {
      this.#options.tell({ event: "trouble", reason });
      this.#queue.mark("");
    } else if (!this.#polls) {
      this.#polls = true;
      this.#identity = undefined;
      this.#options.tell({ event: "polling", reason });
    }
  }

  async #next(): Promise<void> {
    const dueMs = (this.#queue.dueAt() ?? Number.POSITIVE_INFINITY) - performance.now();
    if (!this.#whole && dueMs > 0) return this.#pause(Math.min(TICK_MS, this.#options.quietMs(), dueMs));
    const paths = this.#whole ? this.#everything() : this.#queue.take();
    // What the old filter kept out was not watched.
    if ([...paths].some(this.#options.changesFilter)) return this.#closeSource();
    if (paths.size > 0) await this.#handle(paths);
  }

  #everything(): Set<string> {
    this.#queue.takeAll();
    return new Set([""]);
  }

  async #handle(paths: ReadonlySet<string>): Promise<void> {
    try {
      const again = await this.#options.handle(this.#batchOf(paths));
      for (const path of again) this.#queue.mark(path);
      if (this.#outage) this.#options.tell({ event: "back", seconds: (performance.now() - this.#outage.since) / 1000 });
      this.#outage = undefined;
      this.#fresh = false;
      this.#whole = false;
    } catch (error) {
      const reason = this.#options.outageReason(error);
      if (reason === undefined) throw error;
      if (!this.#outage) this.#options.tell({ event: "away", reason });
      // Events may be lost while this takes, and what was sent last may or may not have arrived.
      this.#fresh = true;
      this.#whole = true;
      const { since = performance.now(), tries = 0 } = this.#outage ?? {};
      this.#outage = { since, tries: tries + 1 };
      await this.#pause(Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  }

  #batchOf(paths: ReadonlySet<string>): WatchBatch {
    return { paths, fresh: this.#fresh, isMoving: (path) => this.#queue.has(path) };
  }

  async #flush(): Promise<boolean> {
    const pending = this.#whole ? this.#everything() : this.#queue.takeAll();
    if (pending.size === 0) return true;
    if (this.#outage || this.#identity === undefined || (await this.#identify()) !== this.#identity) return false;
    const paths = [...pending].some(this.#options.changesFilter) ? new Set([""]) : pending;
    try {
      return (await this.#options.handle(this.#batchOf(paths))).length === 0;
    } catch (error) {
      if (this.#options.outageReason(error) === undefined) throw error;
      return false;
    }
  }

  async #pause(ms: number): Promise<void> {
    // Ends early, without an error, when the loop is to stop.
    await sleep(ms, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }
}
