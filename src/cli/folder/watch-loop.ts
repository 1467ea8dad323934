import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createWatchQueue, type WatchQueue } from "./watch-queue.ts";
import { type StartSource, startSource, type WatchSource } from "./watch-source.ts";

/** The time in milliseconds between two checks of the folder itself, and of an empty queue. */
const TICK_MS = 1000;
const POLL_MS = 3000;
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;
/** Error codes of a system that allows no more watches, or no more open files. */
const TOO_MANY = new Set(["ENOSPC", "EMFILE"]);

export interface WatchBatch {
  /**
   * Paths below the root that changed. Each path includes everything below it; `""` is the whole
   * folder.
   */
  paths: ReadonlySet<string>;
  /**
   * Whether the batch is the first one, or the first after an outage or a loss of the folder.
   * Earlier knowledge about the server may then be wrong.
   */
  fresh: boolean;
  /**
   * Returns whether a path, or a folder that contains it, has changed since the batch was taken.
   */
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
  /** Returns the time for which changes must rest. */
  quietMs(): number;
  /** Creates a filter of the paths to watch. Called again whenever the source starts. */
  createFilter(root: string): (path: string, stats: Stats) => boolean;
  /** Returns whether a change of this path changes the filter. */
  changesFilter(path: string): boolean;
  /** Handles a batch. @returns paths that must be looked at again */
  handle(batch: WatchBatch): Promise<readonly string[]>;
  /**
   * Returns the reason to try the batch again later, or undefined for an error that ends the watch.
   */
  outageReason(error: unknown): string | undefined;
  tell(event: WatchEvent): void;
  /** Stops the loop. Pending changes are still handled, unless there is an outage. */
  signal: AbortSignal;
  startSource?: StartSource;
}

/**
 * Watches a folder and passes its changes to `handle` in batches, one at a time. The loop does not
 * know what `handle` does with them. The first batch covers the whole folder. So does the first
 * batch after an outage of `handle`, after the folder was away or replaced, and after the filter
 * changed. Changes collect while `handle` runs or has an outage.
 */
export class WatchLoop {
  readonly #options: WatchLoopOptions;
  readonly #queue: WatchQueue;
  #source: WatchSource | undefined;
  /** The device and inode of the folder that the source watches. */
  #identity: string | undefined;
  /** Whether the folder was a mount point when it was first seen. */
  #wasMounted: boolean | undefined;
  #polls = false;
  #folderAway = false;
  /** Whether the next batch covers the whole folder and is due at once. */
  #whole = true;
  #fresh = true;
  /** The start of the current outage of `handle`, and the number of its failures. */
  #outage: { since: number; tries: number } | undefined;

  constructor(options: WatchLoopOptions) {
    this.#options = options;
    this.#queue = createWatchQueue(options.quietMs, () => performance.now());
  }

  /**
   * Runs until the signal is aborted.
   *
   * @returns whether everything was handled; false when an outage or the folder prevented it
   */
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

  /**
   * Makes sure that the folder exists and is watched. A replaced folder counts as another folder,
   * even under the same name.
   */
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
    // The identity is set before the start, because trouble during the start resets it.
    this.#identity = identity;
    await this.#startSource(real);
    if (this.#folderAway) tell({ event: "folder-back" });
    this.#folderAway = false;
    this.#whole = true;
    return this.#identity !== undefined;
  }

  /**
   * Returns an identity that distinguishes the folder from another one under the same name;
   * undefined when the folder is away.
   */
  async #identify(): Promise<string | undefined> {
    const { root } = this.#options;
    // The path is not joined, because the system must follow a symbolic link before it goes up.
    const [stats, parent] = await Promise.all([root, `${root}/..`].map((path) => stat(path).catch(() => undefined)));
    if (!stats?.isDirectory()) return undefined;
    const isMounted = stats.dev !== parent?.dev;
    this.#wasMounted ??= isMounted;
    // After a disk is unmounted, its mount point remains as a folder, perhaps with a file that was
    // written there by mistake.
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
    // The watcher did not watch the paths that the old filter left out.
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
      // Events may be lost during an outage, and the last request may or may not have arrived.
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
    // The pause ends early, without an error, when the loop is stopped.
    await sleep(ms, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }
}
