import { AsyncLocalStorage } from "node:async_hooks";
import { inNextTurn } from "../base/yield-to-loop.ts";
import { notifyWorkers } from "./pg-boss-sql.ts";
import type { QueueDatabase } from "./queue-database.ts";

/** Announces jobs to the workers of all processes. */
export interface Announcer {
  /** Sets the channel that workers listen on. Before that, jobs are found by polling. */
  listensOn(channel: string): void;
  /** Announces jobs of a kind once the current transaction, if there is one, has committed. */
  announce(kind: string): void;
}

/**
 * Returns an announcer that sends NOTIFY in transactions of its own, for all kinds together that
 * were sent meanwhile. If the announcement is lost, workers find the jobs by polling. `onError`
 * learns of each announcement that failed.
 *
 * pg-boss would send NOTIFY within the transaction that inserts the job. But a transaction with a
 * NOTIFY holds a lock of the whole server while it commits, so such commits wait for each other and
 * for the disk, one by one. On a Citus cluster the lock is held until the worker has committed too:
 * while a worker was frozen, writes of agents elsewhere waited for it up to 8 s.
 */
export function createAnnouncer(db: QueueDatabase, onError: (error: Error) => void): Announcer {
  // An announcement speaks for several senders, so it belongs to the transaction and trace of none.
  const outside = AsyncLocalStorage.snapshot();
  const kinds = new Set<string>();
  let channel: string | undefined;
  let isSending = false;
  const send = async (to: string) => {
    while (kinds.size > 0) {
      const together = [...kinds];
      kinds.clear();
      await notifyWorkers(db, to, together);
    }
  };
  const sendSoon = () => {
    if (isSending || channel === undefined) return;
    isSending = true;
    const to = channel;
    inNextTurn(() =>
      outside(() => send(to))
        .catch(onError)
        .finally(() => {
          isSending = false;
          // A job may have been announced after the last look.
          if (kinds.size > 0) sendSoon();
        }),
    );
  };
  return {
    listensOn: (name) => {
      channel = name;
    },
    announce: (kind) =>
      db.afterCommit?.(() => {
        kinds.add(kind);
        sendSoon();
      }),
  };
}
