import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { BUILD_INDEX_JOB, EMBED_JOB, REINDEX_JOB } from "../../src/queue/job-contracts.ts";
import { makeDue } from "../../src/queue/pg-boss-sql.ts";
import { type JobQueue, startQueue } from "../../src/queue/queue.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { until } from "../support/until.ts";

describe("the job queue", () => {
  let database: TestDatabase;
  let queue: JobQueue;
  const heard: string[] = [];
  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    const options = { logger: createLogger("silent"), metrics: createMetrics(), supervise: true };
    queue = await startQueue(
      {
        ...db,
        listen: (channel, onNotification, onReconnect) =>
          db.listen(
            channel,
            (payload) => {
              heard.push(payload);
              onNotification(payload);
            },
            onReconnect,
          ),
      },
      options,
    );
  });
  afterAll(async () => {
    await queue.stop();
    await database.drop();
  });

  test("announces a job to the workers, which would find it up to two seconds later", async () => {
    const done: string[] = [];
    await queue.work(EMBED_JOB, async ({ agentId }) => void done.push(agentId), 1);
    await queue.send(database.db, EMBED_JOB, { tenantId: "default", agentId: "main" });
    await until(() => done.length > 0);
    await until(() => heard.includes(EMBED_JOB.name));
    expect(done).toEqual(["main"]);
  });

  // A transaction with a NOTIFY holds a lock of the whole server while it commits: on a cluster, until
  // its worker has committed too.
  test(
    "announces a job after the transaction that sends it, whose statements have no NOTIFY, as its lock would hold up other commits",
    needsPostgres("the embedded database has one session, whose commits wait for no other"),
    async () => {
      const texts: string[] = [];
      heard.length = 0;
      await database.db.transaction(async (tx) => {
        const recording = {
          executeSql: (text: string, values?: unknown[]) => {
            texts.push(text);
            return tx.executeSql<Record<string, unknown>>(text, values);
          },
        };
        await queue.send(recording, EMBED_JOB, { tenantId: "default", agentId: "announced" });
      });
      await until(() => heard.includes(EMBED_JOB.name));
      expect(texts.join("\n")).toMatch(/INSERT INTO recollect_jobs\./);
      expect(texts.join("\n")).not.toMatch(/notify/i);
    },
  );

  test("makes true in a job's payload what is true in that of one that it takes over", async () => {
    const main = { tenantId: "default", agentId: "main" };
    for (const more of [{ anew: false }, { anew: true }, { anew: false }, {}])
      await queue.send(database.db, REINDEX_JOB, { ...main, ...more }, { afterMs: 60_000 });
    const { rows } = await database.db.executeSql<{ id: string }>(
      "SELECT id FROM recollect_jobs.job WHERE name = $1 ORDER BY created_on",
      [REINDEX_JOB.name],
    );
    const payloads: object[] = [];
    await queue.work(REINDEX_JOB, async (payload) => void payloads.push(payload), 1);
    await makeDue(database.db, { kind: REINDEX_JOB.name, id: rows[0]?.id ?? "" });
    await until(() => payloads.length > 0);
    expect(payloads).toEqual([{ ...main, anew: true }]);
  });

  test("keeps what a job lacks that another has whose work it takes over, and what it has itself", async () => {
    const main = { tenantId: "default", agentId: "kept" };
    const send = async (more: { chunks?: number }) => {
      await queue.send(database.db, BUILD_INDEX_JOB, { ...main, ...more }, { afterMs: 60_000 });
      // Lets this job wait for its next try, so that the next one is not merged with it.
      await database.db.executeSql(
        "UPDATE recollect_jobs.job SET state = 'retry' WHERE name = $1 AND state = 'created'",
        [BUILD_INDEX_JOB.name],
      );
    };
    for (const more of [{}, { chunks: 7 }, { chunks: 9 }]) await send(more);
    const { rows } = await database.db.executeSql<{ id: string }>(
      "SELECT id FROM recollect_jobs.job WHERE name = $1 ORDER BY created_on",
      [BUILD_INDEX_JOB.name],
    );
    const payloads: object[] = [];
    await queue.work(BUILD_INDEX_JOB, async (payload) => void payloads.push(payload), 1);
    await makeDue(database.db, { kind: BUILD_INDEX_JOB.name, id: rows[0]?.id ?? "" });
    await until(() => payloads.length === 1);
    expect(payloads).toEqual([{ ...main, chunks: 9 }]);
    await send({ chunks: 3 });
    await send({ chunks: 5 });
    const { rows: next } = await database.db.executeSql<{ id: string }>(
      "SELECT id FROM recollect_jobs.job WHERE name = $1 AND state = 'retry' ORDER BY created_on",
      [BUILD_INDEX_JOB.name],
    );
    await makeDue(database.db, { kind: BUILD_INDEX_JOB.name, id: next[0]?.id ?? "" });
    await until(() => payloads.length === 2);
    expect(payloads[1]).toEqual({ ...main, chunks: 3 });
  });
});
