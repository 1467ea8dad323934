import type { Stats } from "node:fs";
import { relative, sep } from "node:path";
import { watch as watchFiles } from "chokidar";

/** The kernel forgets events beyond 16,384 that wait (`fs.inotify.max_queued_events`), and Node does not say so. */
const MANY_EVENTS = 8192;

export interface SourceOptions {
  /** Whether a path below the root need not be watched. */
  ignored(path: string, stats: Stats): boolean;
  /** Look at every file again and again, this often in milliseconds, instead of asking the system for events. */
  pollMs?: number | undefined;
  /** A path below the root may have changed, come or gone; `""` when anything may have. */
  onChange(path: string): void;
  /** The watcher met an error; changes may have been missed. */
  onTrouble(error: unknown): void;
}

export interface WatchSource {
  close(): Promise<void>;
}

/** Starts to watch a folder: the seam where tests put another source. */
export type StartSource = (root: string, options: SourceOptions, signal: AbortSignal) => Promise<WatchSource>;

/**
 * Watches a folder with chokidar. Resolves once every change from then on is reported; those before are not. Reports are
 * hints: what is on disk must be looked at. Symbolic links are not followed.
 *
 * @param root absolute, and no symbolic link
 */
export async function startSource(root: string, options: SourceOptions, signal: AbortSignal): Promise<WatchSource> {
  const watcher = watchFiles(root, {
    // Without the stats a rule for folders cannot be judged; the watcher asks again with them.
    ignored: (absolute, stats) => {
      const path = pathBelow(root, absolute);
      return path === undefined || (path !== "" && stats !== undefined && options.ignored(path, stats));
    },
    ignoreInitial: true,
    followSymlinks: false,
    // Pairs of unlink and add meet in the queue; dropping one here could lose the other.
    atomic: false,
    // Whoever looks names what may not be read.
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
    // Without a root there may never be a scan that ends.
    watcher.once("error", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  return { close: () => watcher.close() };
}

/** The path below the root that an absolute one has, with `/`; `""` is the root, undefined is outside. */
function pathBelow(root: string, absolute: string): string | undefined {
  const path = relative(root, absolute).replaceAll(sep, "/");
  return path === ".." || path.startsWith("../") ? undefined : path;
}
