/** Beyond this many paths the queue remembers only that everything may have changed. */
const MOST_PATHS = 5000;
/** A path that never rests is taken after this many times the quiet time. */
const MOST_QUIET_TIMES = 10;

interface Entry {
  /** When it was first marked, in milliseconds of the queue's clock. */
  first: number;
  last: number;
}

/** The paths that changed and have not been looked at. `""` is the top: everything may have changed. */
export interface WatchQueue {
  mark(path: string): void;
  /** Takes out the paths that have rested. */
  take(): Set<string>;
  /** Takes out all paths. */
  takeAll(): Set<string>;
  /** When to take next, on the queue's clock; undefined with nothing in it. */
  dueAt(): number | undefined;
  /** Whether the path, or a folder it is in, is in the queue. */
  has(path: string): boolean;
}

/**
 * Collects changes until they rest. A path is taken when it has not changed for the quiet time, but only once no further
 * path has come up for as long: both halves of a rename, and all of a checkout, then go together, while a log that grows
 * holds up nothing but itself. Nothing waits longer than ten times the quiet time. Holds 5,000 paths at most.
 *
 * @param quietMs asked each time, as it may change
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
        // What was marked before is part of everything, and must not wait longer for that.
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

/** A path and every folder it is in, without the top: `a/b/c`, `a/b`, `a`. */
export function withParents(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(0, parts.length - i).join("/"));
}
