import { drizzle, type PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import type { SqlExecutor } from "../database.ts";

/** Drizzle over the seam, so that a control query can join any transaction. It must not be inside an agent's role. */
export type ControlDb = PgRemoteDatabase;

/** Drizzle on this executor: the database, or a transaction of it. */
export function controlDb(sql: SqlExecutor): ControlDb {
  return drizzle(async (text, values, method) => {
    const options = method === "all" ? ({ rowMode: "array" } as const) : {};
    return sql.executeSql(text, values, options);
  });
}
