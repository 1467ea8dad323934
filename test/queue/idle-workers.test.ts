import { expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { CORE_JOBS } from "../../src/jobs/core-jobs.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { startQueue } from "../../src/queue/queue.ts";
import { openTestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

test("idle workers look for jobs with one statement for all kinds of jobs", async () => {
  const database = await openTestDatabase();
  const counts = { lookouts: 0, fetches: 0 };
  const executeSql: typeof database.db.executeSql = (text, ...rest) => {
    if (text.includes("AS k (name)")) counts.lookouts++;
    if (text.includes("SKIP LOCKED") && text.includes("started_on")) counts.fetches++;
    return database.db.executeSql(text, ...rest);
  };
  const kinds = CORE_JOBS.map(({ settings }) => settings);
  const options = { logger: createLogger("silent"), metrics: createMetrics(), kinds, supervise: true };
  const queue = await startQueue({ ...database.db, executeSql }, options);
  try {
    for (const { settings } of CORE_JOBS) await queue.work(settings as never, async () => undefined, 2);
    const workers = kinds.reduce((sum, { ofTenants }) => sum + (ofTenants ? 3 : 2), 0);
    await until(() => counts.fetches >= workers);
    const before = { ...counts };
    await until(() => counts.lookouts >= before.lookouts + 3);
    // A lookout may wake the worker of a job that pg-boss has just released.
    expect(counts.fetches - before.fetches).toBeLessThan(workers / 2);
  } finally {
    await queue.stop();
    await database.drop();
  }
});
