/**
 * The maximum number of paths. Beyond it, the queue only remembers that everything may have
 * changed.
 */
const MOST_PATHS = 5000;
/** A path that never rests is taken after the quiet time multiplied by this number. */
const MOST_QUIET_TIMES = 10;

interface Entry {
  /** The time of the first mark, in milliseconds of the queue's clock. */
  first: number;
  last: number;
}

/**
 * The changed paths that have not been looked at yet. `""` is the top: everything may have changed.
 */
export interface WatchQueue {
  mark(path: string): void;
  /** Removes and returns the paths that have rested. */
  take(): Set<string>;
  /** Removes and returns all paths. */
  takeAll(): Set<string>;
  /** Returns the time of the next take on the queue's clock, or undefined if the queue is empty. */
  dueAt(): number | undefined;
  /** Returns whether the queue holds the path, or a folder that contains it. */
  has(path: string): boolean;
}

/**
 * Creates a queue that collects changes until they rest. A path is taken when it has not changed
 * for the quiet time, and no new path has been marked for the same time. So both halves of a
 * rename, or all files of a checkout, are taken together, while a growing log delays only itself.
 * No path waits longer than ten times the quiet time. The queue holds at most 5,000 paths.
 *
 * @param quietMs called each time, because the quiet time may change
 */
export function createWatchQueue(quietMs: () => number, now: () => number): WatchQueue {
  let entries = new Map<string, Entry>();
  let lastNew = 0;
  const overdueAt = (entry: Entry) => entry.first + quietMs() * MOST_QUIET_TIMES;
  const takeAll = () => {
    const paths = new Set(entries.keys());
    entries = new Map();
    return paths;
  };
  return {
    mark: (path) => {
      const at = now();
      const target = entries.has("") ? "" : path;
      const before = entries.get(target);
      if (before) before.last = at;
      else {
        lastNew = at;
        entries.set(target, { first: at, last: at });
      }
      if (!before && (target === "" || entries.size > MOST_PATHS)) {
        // The earlier paths become part of "everything", which must not make them wait longer.
        const first = [...entries.values()].reduce((least, entry) => Math.min(least, entry.first), at);
        entries = new Map([["", { first, last: at }]]);
      }
    },
    take: () => {
      const at = now();
      const all = [...entries];
      const isOverdue = (entry: Entry) => overdueAt(entry) <= at;
      if (at < lastNew + quietMs() && !all.some(([, entry]) => isOverdue(entry))) return new Set();
      const taken = all.filter(([, entry]) => entry.last + quietMs() <= at || isOverdue(entry));
      for (const [path] of taken) entries.delete(path);
      return new Set(taken.map(([path]) => path));
    },
    takeAll,
    dueAt: () => {
      if (entries.size === 0) return undefined;
      let [last, overdue] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (const entry of entries.values()) {
        last = Math.min(last, entry.last);
        overdue = Math.min(overdue, overdueAt(entry));
      }
      return Math.min(Math.max(lastNew, last) + quietMs(), overdue);
    },
    has: (path) => entries.has("") || withParents(path).some((part) => entries.has(part)),
  };
}

/** Returns a path and every folder that contains it, without the top: `a/b/c`, `a/b`, `a`. */
export function withParents(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(0, parts.length - i).join("/"));
}
