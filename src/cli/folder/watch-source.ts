import type { Stats } from "node:fs";
import { relative, sep } from "node:path";
import { watch as watchFiles } from "chokidar";

/**
 * The number of events after which everything counts as changed. The kernel drops events beyond
 * 16,384 waiting ones (`fs.inotify.max_queued_events`), and Node does not report it.
 */
const MANY_EVENTS = 8192;

export interface SourceOptions {
  /** Returns whether a path below the root need not be watched. */
  ignored(path: string, stats: Stats): boolean;
  /**
   * The polling interval in milliseconds. If set, the watcher looks at every file at this interval
   * instead of asking the system for events.
   */
  pollMs?: number | undefined;
  /**
   * Called when a path below the root may have been changed, created or removed; `""` means that
   * any path may have been.
   */
  onChange(path: string): void;
  /** Called when the watcher met an error. Changes may have been missed. */
  onTrouble(error: unknown): void;
}

export interface WatchSource {
  close(): Promise<void>;
}

/** Starts to watch a folder. Tests replace this function with a source of their own. */
export type StartSource = (root: string, options: SourceOptions, signal: AbortSignal) => Promise<WatchSource>;

/**
 * Watches a folder with chokidar. Resolves once all later changes are reported; earlier changes are
 * not reported. A report is a hint, so the caller must look at the files on disk. Symbolic links
 * are not followed.
 *
 * @param root an absolute path that is not a symbolic link
 */
export async function startSource(root: string, options: SourceOptions, signal: AbortSignal): Promise<WatchSource> {
  const watcher = watchFiles(root, {
    // Rules for folders need the stats. The watcher calls again with them.
    ignored: (absolute, stats) => {
      const path = pathBelow(root, absolute);
      return path === undefined || (path !== "" && stats !== undefined && options.ignored(path, stats));
    },
    ignoreInitial: true,
    followSymlinks: false,
    // The queue brings an unlink and its add together. If chokidar dropped one of them here, the
    // other could be lost.
    atomic: false,
    // The walk of the folder reports files that may not be read.
    ignorePermissionErrors: true,
    ...(options.pollMs === undefined ? {} : { backend: "polling", pollingInterval: options.pollMs }),
  });
  let events = 0;
  watcher.on("raw", () => {
    events++;
    if (events % MANY_EVENTS === 0) options.onChange("");
  });
  watcher.on("all", (_event, absolute) => {
    const path = pathBelow(root, absolute);
    if (path !== undefined) options.onChange(path.normalize("NFC"));
  });
  watcher.on("error", options.onTrouble);
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve);
    // If the root is missing, the initial scan may never end.
    watcher.once("error", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  return { close: () => watcher.close() };
}

/**
 * Returns the path of an absolute path relative to the root, with `/`. `""` is the root; undefined
 * means outside the root.
 */
function pathBelow(root: string, absolute: string): string | undefined {
  const path = relative(root, absolute).replaceAll(sep, "/");
  return path === ".." || path.startsWith("../") ? undefined : path;
}
