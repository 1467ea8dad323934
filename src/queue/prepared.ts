import type { Db } from "pg-boss";

/** A transaction as the seam has it. */
export interface QueueTransaction {
  executeSql(text: string, values?: unknown[], options?: { prepare: true }): ReturnType<Db["executeSql"]>;
}

/** For pg-boss's INSERT of a job: its hundred lines take Postgres 0.9 ms, 0.5 of which are planning. */
export function prepared(tx: QueueTransaction): Db {
  return { executeSql: (text, values) => tx.executeSql(text, values, { prepare: true }) };
}
