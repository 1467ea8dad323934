import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";

/** Something to be committed that may share a transaction with others. */
export interface CommitEntry<Item, Result> {
  readonly item: Item;
  /** Only what is of one kind is committed together. */
  readonly kind: string;
  /** What it writes. Of two that write the same the second comes after the first, in a transaction of its own. */
  readonly names: readonly string[];
  readonly bytes: number;
  readonly chunks: number;
  /** Commits works of its kind, all or nothing. @returns what became of each, in their order */
  commit(items: readonly Item[]): Promise<readonly Result[]>;
}

export interface GroupCommits<Item, Result> {
  /**
   * Commits with the others of this turn of the event loop if nothing of the queue is under way; else with those that wait until
   * it has ended. Fails as it would alone.
   */
  add(queue: string, entry: CommitEntry<Item, Result>): Promise<Result>;
}

/** What one transaction takes at most, so that nobody waits long for it; a single work that is larger goes by itself. */
const MAX_NAMES = 64;
const MAX_BYTES = 1_000_000;
const MAX_CHUNKS = 1_000;

interface QueuedEntry<Item, Result> extends CommitEntry<Item, Result> {
  /** Runs something as part of the request that added it. */
  readonly enter: <T>(run: () => T) => T;
  readonly settle: (result: Result | Promise<Result>) => void;
}

/**
 * Queues by name. Each is there while it is used, so nothing is kept of an agent that rests or was erased.
 *
 * @param isOutage of errors that all of a group share: nobody is to try again alone
 */
export function createGroupCommits<Item, Result>(isOutage: (error: unknown) => boolean): GroupCommits<Item, Result> {
  const queues = new Map<string, QueuedEntry<Item, Result>[]>();
  const empty = async (queue: string, waiting: QueuedEntry<Item, Result>[]) => {
    // What was prepared in this turn of the event loop goes together: the first alone would make all others wait twice.
    await setImmediate();
    while (waiting.length > 0) await commitGroup(takeGroup(waiting), isOutage);
    queues.delete(queue);
  };
  return {
    add: async (queue, entry) => {
      // Nobody small is to wait for it.
      if (isLarge(entry)) return (await entry.commit([entry.item]))[0] as Result;
      return new Promise((settle) => {
        // What is committed for several runs as a part of the first one's request. Without this it would be that of the
        // request that began the queue, which may have been answered long ago.
        const added = { ...entry, enter: AsyncLocalStorage.snapshot(), settle };
        const waiting = queues.get(queue);
        if (waiting) {
          waiting.push(added);
          return;
        }
        const begun = [added];
        queues.set(queue, begun);
        void empty(queue, begun);
      });
    },
  };
}

function isLarge({ names, bytes, chunks }: CommitEntry<unknown, unknown>): boolean {
  return names.length > MAX_NAMES || bytes > MAX_BYTES || chunks > MAX_CHUNKS;
}

/** Takes the first that waits, and all that may go with it. */
function takeGroup<Item, Result>(waiting: QueuedEntry<Item, Result>[]): QueuedEntry<Item, Result>[] {
  const [first, ...others] = waiting.splice(0);
  if (!first) return [];
  const group = [first];
  // Also those of whoever is left behind, which nobody may overtake.
  const claimed = new Set(first.names);
  let { bytes, chunks } = first;
  let names = first.names.length;
  for (const next of others) {
    const isFree = !next.names.some((name) => claimed.has(name));
    const hasRoom =
      names + next.names.length <= MAX_NAMES && bytes + next.bytes <= MAX_BYTES && chunks + next.chunks <= MAX_CHUNKS;
    for (const name of next.names) claimed.add(name);
    if (next.kind !== first.kind || !isFree || !hasRoom) {
      waiting.push(next);
      continue;
    }
    group.push(next);
    names += next.names.length;
    bytes += next.bytes;
    chunks += next.chunks;
  }
  return group;
}

/** Never fails: whoever waits is told. */
async function commitGroup<Item, Result>(
  group: readonly QueuedEntry<Item, Result>[],
  isOutage: (error: unknown) => boolean,
): Promise<void> {
  const [first, second] = group;
  if (first && second) {
    const items = group.map(({ item }) => item);
    const [outcome] = await Promise.allSettled([first.enter(async () => first.commit(items))]);
    const isOver = outcome.status === "fulfilled" || isOutage(outcome.reason);
    if (isOver) {
      for (const [at, { settle }] of group.entries())
        settle(outcome.status === "fulfilled" ? (outcome.value[at] as Result) : Promise.reject(outcome.reason));
      return;
    }
  }
  // What fails together is committed one by one, so that only those at fault fail, each with its own error; side by side, as
  // they came.
  const commitAlone = async (one: QueuedEntry<Item, Result>) => {
    const alone = one.enter(async () => one.commit([one.item])).then(([result]) => result as Result);
    one.settle(alone);
    await alone;
  };
  await Promise.allSettled(group.map(commitAlone));
}
