import type { TestApp } from "./test-app.ts";

/** How many statements that match the process of a test sends while `work` runs, inside transactions and outside. */
export async function countStatements(app: TestApp, pattern: RegExp, work: () => Promise<unknown>): Promise<number> {
  const { db } = app.runtime.deps;
  let count = 0;
  const deps = app.runtime.deps as { db: typeof db };
  const counted = <E extends Pick<typeof db, "executeSql">>(sql: E): E => ({
    ...sql,
    executeSql: (text, values, rest) => {
      if (pattern.test(text)) count++;
      return sql.executeSql(text, values, rest);
    },
  });
  deps.db = {
    ...counted(db),
    transaction: (fn, options) => db.transaction((tx) => fn(counted(tx)), options),
  };
  await work().finally(() => {
    deps.db = db;
  });
  return count;
}
