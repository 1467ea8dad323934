import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { CORE_JOBS } from "../../src/jobs/core-jobs.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { BUILD_INDEX_JOB, EMBED_JOB, MAINTAIN_INDEX_JOB, REINDEX_JOB } from "../../src/queue/job-contracts.ts";
import { makeDue } from "../../src/queue/pg-boss-sql.ts";
import { type JobQueue, startQueue } from "../../src/queue/queue.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { hurryJobs } from "../support/hurry-jobs.ts";
import { needsPostgres } from "../support/needs.ts";
import { until } from "../support/until.ts";

describe("the job queue", () => {
  let database: TestDatabase;
  let queue: JobQueue;
  const heard: string[] = [];
  let channelOfJobs = "";
  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    const kinds = CORE_JOBS.map(({ settings }) => settings);
    const options = { logger: createLogger("silent"), metrics: createMetrics(), kinds, supervise: true };
    queue = await startQueue(
      {
        ...db,
        listen: (channel, onNotification, onReconnect) => {
          channelOfJobs = channel;
          return db.listen(
            channel,
            (payload) => {
              heard.push(payload);
              onNotification(payload);
            },
            onReconnect,
          );
        },
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

  test("takes a delayed job when its delay is over, or when a test makes it due", async () => {
    const done: string[] = [];
    await queue.work(MAINTAIN_INDEX_JOB, async ({ agentId }) => void done.push(agentId), 1);
    await queue.send(database.db, MAINTAIN_INDEX_JOB, { tenantId: "default", agentId: "delayed" });
    await until(() => done.length > 0);
    const { rows } = await database.db.executeSql(
      `SELECT extract(epoch FROM start_after - created_on)::float8 AS delay, started_on >= start_after AS waited
         FROM recollect_jobs.job
        WHERE name = $1`,
      [MAINTAIN_INDEX_JOB.name],
    );
    expect(rows).toEqual([{ delay: MAINTAIN_INDEX_JOB.startAfterSeconds, waited: true }]);

    await queue.send(database.db, MAINTAIN_INDEX_JOB, { tenantId: "default", agentId: "hurried" });
    heard.length = 0;
    await hurryJobs(database.db);
    await until(() => done.length > 1);
    await until(() => heard.includes(MAINTAIN_INDEX_JOB.name));
    expect(done).toEqual(["delayed", "hurried"]);
  });

  describe(
    "on a server, where a transaction with a NOTIFY holds a lock of all while it commits",
    needsPostgres("the embedded database has one session, whose commits wait for no other"),
    () => {
      const sent = { tenantId: "default", agentId: "announced" };

      test("announces a job once the transaction that sends it has committed, which has no NOTIFY itself", async () => {
        const texts: string[] = [];
        heard.length = 0;
        await database.db.transaction(async (tx) => {
          const recording = {
            executeSql: (text: string, values?: unknown[]) => {
              texts.push(text);
              return tx.executeSql<Record<string, unknown>>(text, values);
            },
          };
          await queue.send(recording, EMBED_JOB, sent);
          // Notifications arrive in the order of their commits.
          await database.db.executeSql("SELECT pg_notify($1, 'a mark')", [channelOfJobs]);
          await until(() => heard.includes("a mark"));
          expect(heard).toEqual(["a mark"]);
        });
        await until(() => heard.includes(EMBED_JOB.name));
        expect(texts.join("\n")).toMatch(/INSERT INTO recollect_jobs\./);
        expect(texts.join("\n")).not.toMatch(/notify/i);
      });

      test("announces nothing for a transaction that is rolled back", async () => {
        heard.length = 0;
        const failing = database.db.transaction(async (tx) => {
          await queue.send(tx as never, REINDEX_JOB, sent);
          throw new Error("changed its mind");
        });
        await expect(failing).rejects.toThrow("changed its mind");
        await queue.send(database.db, EMBED_JOB, sent);
        await until(() => heard.includes(EMBED_JOB.name));
        expect(heard).not.toContain(REINDEX_JOB.name);
      });

      test("takes over queues of a release that sent NOTIFY within transactions", async () => {
        const notifying = async () =>
          (await database.db.executeSql("SELECT FROM recollect_jobs.queue WHERE notify AND name = 'embed'")).rows
            .length;
        await database.db.executeSql("UPDATE recollect_jobs.queue SET notify = true");
        const kinds = CORE_JOBS.map(({ settings }) => settings);
        const options = { logger: createLogger("silent"), metrics: createMetrics(), kinds, supervise: false };
        const next = await startQueue(database.db, options);
        await next.stop();
        expect(await notifying()).toBe(0);
      });
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
      // Lets this job wait for its next try, so that the job sent after it is not merged with it.
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
