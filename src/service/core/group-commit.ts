import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";

/** A write that may share a transaction with others. */
export interface CommitEntry<Item, Result> {
  readonly item: Item;
  /** Only entries of one kind are committed together. */
  readonly kind: string;
  /**
   * The names of what it writes. Of two entries with a common name, the second is committed after the first, in another
   * transaction.
   */
  readonly names: readonly string[];
  readonly bytes: number;
  readonly chunks: number;
  /** Commits items of its kind, all or nothing. @returns their results, in order */
  commit(items: readonly Item[]): Promise<readonly Result[]>;
}

export interface GroupCommits<Item, Result> {
  /**
   * Commits an entry with the others of this turn of the event loop. While a commit of the queue is in progress, an entry
   * waits and joins the next one. An entry fails as it would alone.
   */
  add(queue: string, entry: CommitEntry<Item, Result>): Promise<Result>;
}

/** The limits of a group, so that no entry waits long. A larger entry is committed by itself. */
const MAX_NAMES = 64;
const MAX_BYTES = 1_000_000;
const MAX_CHUNKS = 1_000;

interface QueuedEntry<Item, Result> extends CommitEntry<Item, Result> {
  /** Runs a function in the context of the request that added the entry. */
  readonly enter: <T>(run: () => T) => T;
  readonly settle: (result: Result | Promise<Result>) => void;
}

/**
 * Group commit, by queue. A queue exists while it is used, so nothing is kept of an idle or erased agent.
 *
 * @param isOutage whether an error concerns the whole group, so that its entries are not tried one by one
 */
export function createGroupCommits<Item, Result>(isOutage: (error: unknown) => boolean): GroupCommits<Item, Result> {
  const queues = new Map<string, QueuedEntry<Item, Result>[]>();
  const empty = async (queue: string, waiting: QueuedEntry<Item, Result>[]) => {
    // Entries that were prepared in this turn of the event loop form one group. If the first were committed alone, the
    // others would wait twice.
    await setImmediate();
    while (waiting.length > 0) await commitGroup(takeGroup(waiting), isOutage);
    queues.delete(queue);
  };
  return {
    add: async (queue, entry) => {
      // No small entry must wait for it.
      if (isLarge(entry)) return (await entry.commit([entry.item]))[0] as Result;
      return new Promise((settle) => {
        // A group commits in the context of its first entry's request. Without the snapshot it would be that of the request
        // that began the queue, which may have been answered long ago.
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

/** Takes the first waiting entry and all that may join it. */
function takeGroup<Item, Result>(waiting: QueuedEntry<Item, Result>[]): QueuedEntry<Item, Result>[] {
  const [first, ...others] = waiting.splice(0);
  if (!first) return [];
  const group = [first];
  // Includes the names of entries that are left behind: no later entry may overtake them.
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

/** Never rejects: errors go to the entries' own promises. */
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
  // A group that fails is committed again one by one, so that only the entries at fault fail, each with its own error. They
  // run concurrently, as they arrived.
  const commitAlone = async (one: QueuedEntry<Item, Result>) => {
    const alone = one.enter(async () => one.commit([one.item])).then(([result]) => result as Result);
    one.settle(alone);
    await alone;
  };
  await Promise.allSettled(group.map(commitAlone));
}
