import type { Db } from "pg-boss";

/** The database as pg-boss sees it. Recollect's `Database` has the same shape. */
export interface QueueDatabase extends Db {
  /** @param options.limitMs the time limit of the statement */
  executeSql(text: string, values?: unknown[], options?: { limitMs: number }): ReturnType<Db["executeSql"]>;
  readonly kind: "postgres" | "pglite";
  /** pg-boss works without LISTEN, but then its workers only poll. */
  readonly listen: NonNullable<Db["listen"]>;
  /**
   * Runs a function once the current transaction has committed, or at once without a transaction.
   * Undefined for an embedded database: no commit waits for another there, so pg-boss sends NOTIFY
   * within the transaction.
   */
  afterCommit?(fn: () => void): void;
}
