import { AsyncLocalStorage } from "node:async_hooks";
import type { TestApp } from "./test-app.ts";

/**
 * Counts the statements of `work` that match, inside transactions and outside. Statements of jobs
 * that run meanwhile do not count.
 */
export async function countStatements(app: TestApp, pattern: RegExp, work: () => Promise<unknown>): Promise<number> {
  const { db } = app.runtime.deps;
  const working = new AsyncLocalStorage<true>();
  let count = 0;
  const deps = app.runtime.deps as { db: typeof db };
  const counted = <E extends Pick<typeof db, "executeSql">>(sql: E): E => ({
    ...sql,
    executeSql: (text, values, rest) => {
      if (working.getStore() && pattern.test(text)) count++;
      return sql.executeSql(text, values, rest);
    },
  });
  deps.db = {
    ...counted(db),
    transaction: (fn, options) => db.transaction((tx) => fn(counted(tx)), options),
  };
  await working.run(true, work).finally(() => {
    deps.db = db;
  });
  return count;
}
