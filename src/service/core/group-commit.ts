import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../../base/errors.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";

/** A write that may share a transaction with others. */
export interface CommitEntry<Item, Result> {
  readonly item: Item;
  /** Only entries of one kind are committed together. */
  readonly kind: string;
  /**
   * The names of the things that it writes. If two entries have a name in common, the second is
   * committed after the first, in another transaction.
   */
  readonly names: readonly string[];
  readonly bytes: number;
  readonly chunks: number;
  /** Commits items of its kind, all or nothing. @returns their results, in order */
  commit(items: readonly Item[]): Promise<readonly Result[]>;
}

export interface GroupCommits<Item, Result> {
  /**
   * Commits an entry together with the others of this turn of the event loop. While a commit of the
   * queue is in progress, an entry waits and joins the next commit. An entry fails with the error
   * that it would get alone.
   *
   * @throws AppError `database_busy` if its commit does not begin in time; nothing of it is stored
   *   then, or later
   */
  add(queue: string, entry: CommitEntry<Item, Result>): Promise<Result>;
}

export interface GroupCommitOptions {
  /**
   * Whether large entries, and the entries of a group that failed, are committed one after the
   * other. If they ran at once, each would hold a connection while it waits for the others at a
   * lock.
   */
  inTurn?: boolean;
  /** The longest time that an entry waits for its commit to begin. */
  maxWaitMs?: number;
  /** The longest time that a commit may take before the queue goes on without it. */
  limitMs?: number;
}

/** The limits of a group, so that no entry waits long. A larger entry is committed by itself. */
const MAX_ENTRIES = 64;
const MAX_NAMES = 64;
const MAX_BYTES = 1_000_000;
const MAX_CHUNKS = 1_000;
/**
 * The default of `maxWaitMs`: long enough for the groups ahead of an entry on a busy server, and
 * short enough for a client that waits.
 */
const MAX_WAIT_MS = 20_000;

/**
 * The default of `limitMs`. Every statement has its own time limit, which ends a commit long
 * before. But a commit that hangs for any other reason must not block all later writes of the
 * agent: one lost answer of the database once did so until the process was killed.
 */
const LIMIT_MS = 120_000;

interface QueuedEntry<Item, Result> extends CommitEntry<Item, Result> {
  /** Runs a function in the context of the request that added the entry. */
  readonly enter: <T>(run: () => T) => T;
  readonly settle: (result: Result | Promise<Result>) => void;
  /** The time at which its request gives up waiting, by the clock of `performance`. */
  readonly until: number;
  /** Refuses the entry if it still waits. */
  readonly timer: NodeJS.Timeout;
}

interface Rules {
  isOutage(error: unknown): boolean;
  inTurn: boolean;
  limitMs: number;
}

/**
 * Creates group commits by queue. A queue exists only while it is used, so no state is kept for an
 * idle or erased agent.
 *
 * @param isOutage whether an error concerns the whole group, so that its entries are not tried one
 *   by one
 */
export function createGroupCommits<Item, Result>(
  isOutage: (error: unknown) => boolean,
  { inTurn = false, maxWaitMs = MAX_WAIT_MS, limitMs = LIMIT_MS }: GroupCommitOptions = {},
): GroupCommits<Item, Result> {
  const queues = new Map<string, QueuedEntry<Item, Result>[]>();
  const empty = async (queue: string, waiting: QueuedEntry<Item, Result>[]) => {
    // Entries that were prepared in this turn of the event loop form one group. If the first were
    // committed alone, the others would wait twice.
    await yieldToLoop();
    while (waiting.length > 0) await commitGroup(takeGroup(waiting), { isOutage, inTurn, limitMs });
    queues.delete(queue);
  };
  const join = (queue: string, entry: CommitEntry<Item, Result>) =>
    new Promise<Result>((settle, refuse) => {
      const waiting = queues.get(queue) ?? [];
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(added), 1);
        refuse(waitedTooLong());
      }, maxWaitMs);
      // A group commits in the context of its first entry's request. Without the snapshot it would
      // commit in the context of the request that began the queue, which may have been answered
      // long ago.
      const enter = AsyncLocalStorage.snapshot();
      const added = { ...entry, enter, settle, until: performance.now() + maxWaitMs, timer };
      waiting.push(added);
      if (queues.has(queue)) return;
      queues.set(queue, waiting);
      void empty(queue, waiting);
    });
  return {
    add: async (queue, entry) => {
      if (!isLarge(entry)) return join(queue, entry);
      // A large entry joins another queue or none, so that no small entry waits for it.
      return inTurn ? join(`${queue} large`, entry) : ((await entry.commit([entry.item]))[0] as Result);
    },
  };
}

/**
 * Runs the writes of a queue one after the other, in the order in which they came. Waiting writes
 * hold no connection.
 */
export type Turns = <T>(queue: string, write: () => Promise<T>) => Promise<T>;

/** @throws AppError `database_busy` from a turn that does not begin in time */
export function createTurns(): Turns {
  const commits = createGroupCommits<() => Promise<unknown>, unknown>(() => true, { inTurn: true });
  const alone = {
    names: [],
    bytes: 0,
    chunks: 0,
    commit: (writes: readonly (() => Promise<unknown>)[]) => runAll(writes),
  };
  let serial = 0;
  return <T>(queue: string, write: () => Promise<T>) =>
    commits.add(queue, { ...alone, item: write, kind: String(++serial) }) as Promise<T>;
}

/**
 * Runs the writes of a group. Each group has only one, because each write has a kind of its own.
 */
function runAll(writes: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  return Promise.all(writes.map((write) => write()));
}

function waitedTooLong(): AppError {
  return new AppError(
    "database_busy",
    "Earlier writes of this agent are still being stored, so nothing of this request was stored. Send it again in a moment, and send fewer requests at a time.",
    { details: { retryAfterSeconds: 1 } },
  );
}

function isLarge({ names, bytes, chunks }: CommitEntry<unknown, unknown>): boolean {
  return names.length > MAX_NAMES || bytes > MAX_BYTES || chunks > MAX_CHUNKS;
}

/** Takes the first waiting entry and all entries that may join it. */
function takeGroup<Item, Result>(waiting: QueuedEntry<Item, Result>[]): QueuedEntry<Item, Result>[] {
  const [first, ...others] = waiting.splice(0);
  if (!first) return [];
  const group = [first];
  // This also gets the names of entries that keep waiting. A later entry with one of these names
  // must not overtake them.
  const claimed = new Set(first.names);
  let { bytes, chunks } = first;
  let names = first.names.length;
  for (const next of others) {
    const isFree = !next.names.some((name) => claimed.has(name));
    const hasRoom =
      group.length < MAX_ENTRIES &&
      names + next.names.length <= MAX_NAMES &&
      bytes + next.bytes <= MAX_BYTES &&
      chunks + next.chunks <= MAX_CHUNKS;
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
  for (const { timer } of group) clearTimeout(timer);
  return group;
}

/** Commits a group. It never rejects: errors go to the entries' own promises. */
async function commitGroup<Item, Result>(
  group: readonly QueuedEntry<Item, Result>[],
  { isOutage, inTurn, limitMs }: Rules,
): Promise<void> {
  const [first, second] = group;
  if (first && second) {
    const items = group.map(({ item }) => item);
    const [outcome] = await Promise.allSettled([
      inTime(
        limitMs,
        first.enter(async () => first.commit(items)),
      ),
    ]);
    const isOver = outcome.status === "fulfilled" || outcome.reason instanceof Late || isOutage(outcome.reason);
    if (isOver) {
      for (const [at, { settle }] of group.entries())
        settle(outcome.status === "fulfilled" ? (outcome.value[at] as Result) : Promise.reject(outcome.reason));
      return;
    }
  }
  // A group that fails is committed again one by one, so that only the entries at fault fail, each
  // with its own error.
  const commitAlone = async (one: QueuedEntry<Item, Result>) => {
    const commit = one.enter(async () => one.commit([one.item])).then(([result]) => result as Result);
    const alone = inTime(limitMs, commit);
    one.settle(alone);
    await alone;
  };
  if (!inTurn) {
    await Promise.allSettled(group.map(commitAlone));
    return;
  }
  for (const one of group) {
    if (one !== first && performance.now() > one.until) one.settle(Promise.reject(waitedTooLong()));
    else await Promise.allSettled([commitAlone(one)]);
  }
}

class Late extends AppError {
  constructor() {
    const what = "This write has not ended in time, so it may be stored or not.";
    super(
      "outcome_unknown",
      `${what} Read it back before you send it again, or send it again with the same Idempotency-Key.`,
    );
  }
}

async function inTime<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Late()), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
