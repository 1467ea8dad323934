import { runOutsideContext } from "../base/request-context.ts";
import type { QueueDatabase } from "./queue.ts";

/** Announces jobs to the workers of all processes. */
export interface Announcer {
  /** Sets the channel that workers listen on. Before that, jobs are found by polling. */
  listensOn(channel: string): void;
  /** Announces jobs of a kind once the current transaction, if there is one, has committed. */
  announce(kind: string): void;
}

/**
 * Returns an announcer that sends NOTIFY in transactions of its own, for all kinds together that
 * were sent meanwhile. If the announcement is lost, workers find the jobs by polling.
 *
 * pg-boss would send NOTIFY within the transaction that inserts the job. But a transaction with a
 * NOTIFY holds a lock of the whole server while it commits, so such commits wait for each other and
 * for the disk, one by one. On a Citus cluster the lock is held until the worker has committed too:
 * while a worker was frozen, writes of agents elsewhere waited for it up to 8 s.
 */
export function createAnnouncer(db: QueueDatabase): Announcer {
  const kinds = new Set<string>();
  let channel: string | undefined;
  let isSending = false;
  const send = async () => {
    while (kinds.size > 0) {
      const together = [...kinds];
      kinds.clear();
      // A lost notification costs a worker two seconds, so its commit need not wait for the disk.
      await db.executeSql(
        `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, kind)
           FROM unnest($2::text[]) AS n (kind)`,
        [channel, together],
      );
    }
  };
  const sendSoon = () => {
    if (isSending || channel === undefined) return;
    isSending = true;
    setImmediate(() =>
      runOutsideContext(send)
        .catch(() => kinds.clear())
        .finally(() => {
          isSending = false;
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
