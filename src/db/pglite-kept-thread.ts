import { AppError } from "../base/errors.ts";
import { hasRoom } from "./disk-room.ts";
import type { PgliteThread } from "./pglite-thread.ts";

/**
 * Keeps the thread of an embedded database. When the thread has ended, the next statement starts
 * another.
 */
export interface KeptThread {
  /** Returns the thread; undefined while it has ended and no other has started. */
  now(): PgliteThread | undefined;
  /** Resolves with the thread that replaces one that has ended. */
  reopened(): Promise<PgliteThread>;
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
  close(): Promise<void>;
}

/** The means to replace a thread that has ended. */
interface Reopening {
  folder: string;
  open(): Promise<PgliteThread>;
  onEnded(error: Error): void;
}

interface Listener {
  channel: string;
  onNotification(payload: string): void;
  onReconnect(): void;
  /** Stops listening on the present thread. */
  end: () => Promise<void>;
}

/**
 * The least time between two attempts to open the database again. Opening it takes most of a second
 * of processor time.
 */
const PAUSE_MS = 1000;

const NO_ROOM =
  "The embedded database ended because its disk is full, and is opened again as soon as the operator has made room: at least 32 MB. Acknowledged writes are not lost.";

/**
 * Keeps a thread, and opens the database again after it has ended.
 *
 * @param reopening absent for a database in memory, whose content is lost when it ends
 */
export function keepThread(first: PgliteThread, reopening?: Reopening): KeptThread {
  const listeners = new Set<Listener>();
  let thread = first;
  let isClosed = false;
  let opening: Promise<PgliteThread> | undefined;
  let failed: { at: number; error: unknown } | undefined;

  const now = () => (thread.lost() === undefined || isClosed || !reopening ? thread : undefined);
  const reopen = async ({ folder, open, onEnded }: Reopening): Promise<PgliteThread> => {
    if (failed && performance.now() - failed.at < PAUSE_MS) throw failed.error;
    // Recovery begins a new segment of the log. Without room it would fail, but only after it has
    // done all of its work.
    if (!hasRoom(folder)) throw new AppError("database_full", NO_ROOM, { cause: thread.lost() });
    if (!failed) onEnded(thread.lost() as Error);
    // The old thread must have closed its files.
    await thread.close();
    try {
      const next = await open();
      failed = undefined;
      thread = next;
    } catch (error) {
      failed = { at: performance.now(), error };
      throw error;
    }
    if (isClosed) await thread.close();
    else for (const listener of listeners) await listenAgain(thread, listener);
    return thread;
  };
  const reopened = async () => {
    if (!reopening) return thread;
    opening ??= reopen(reopening).finally(() => {
      opening = undefined;
    });
    return opening;
  };
  return {
    now,
    reopened,
    listen: async (channel, onNotification, onReconnect) => {
      const end = await (now() ?? (await reopened())).listen(channel, onNotification);
      const listener: Listener = { channel, onNotification, onReconnect, end };
      listeners.add(listener);
      onReconnect();
      return {
        close: async () => {
          listeners.delete(listener);
          await listener.end();
        },
      };
    },
    close: async () => {
      isClosed = true;
      await opening?.catch(() => undefined);
      await thread.close();
    },
  };
}

async function listenAgain(thread: PgliteThread, listener: Listener): Promise<void> {
  listener.end = await thread.listen(listener.channel, listener.onNotification);
  listener.onReconnect();
}
