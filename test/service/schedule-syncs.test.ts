import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCHEDULE_JOB } from "../../src/queue/job-contracts.ts";
import type { Deps } from "../../src/service/deps.ts";
import { fallsDue, intervalOf, scheduleSyncs, startSchedule } from "../../src/service/indexing/schedule-syncs.ts";
import { type ExtraFolder, extraFolder } from "../support/extra-folder.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;

describe("turns", () => {
  test("come once in every interval, however long the looks are apart, and in none twice", () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 2000 }), gaps, (key, interval, steps) => {
        let [at, turns] = [29_000_000, 0];
        for (const step of steps) {
          const due = fallsDue(key, interval, at, at + step);
          if (due) turns++;
          if (step >= interval) expect(due).toBe(true);
          at += step;
        }
        const whole = (at - 29_000_000) / interval;
        expect(turns).toBeLessThanOrEqual(Math.ceil(whole));
        if (Math.max(...steps) <= interval) expect(turns).toBeGreaterThanOrEqual(Math.floor(whole));
      }),
    );
  });

  test("are spread over the interval", () => {
    const perMinute = Array.from({ length: 60 }, (_, minute) => {
      const keys = Array.from({ length: 6000 }, (_, i) => `tenant:${i}`);
      return keys.filter((key) => fallsDue(key, 60, 29_000_000 + minute, 29_000_001 + minute)).length;
    });
    expect(perMinute.reduce((sum, due) => sum + due)).toBe(6000);
    expect(Math.max(...perMinute)).toBeLessThan(160);
  });

  test("retention has one a day, whatever the interval", () => {
    const sync = (intervalMinutes: number, keepsTime = false) => ({ intervalMinutes, keepsTime });
    const intervals = [sync(0), sync(5), sync(0, true), sync(5, true), sync(10_080, true)].map(intervalOf);
    expect(intervals).toEqual([0, 5, 1440, 5, 1440]);
  });
});

describe("the schedule", () => {
  let root: ExtraFolder;
  let app: TestApp;
  let env: Record<string, string>;
  beforeAll(async () => {
    root = extraFolder();
    env = { RECOLLECT_EXTRA_PATH_ROOTS: root.path };
    app = await startTestApp({ worker: false, env });
    for (const [id, settings] of Object.entries({
      often: { sync: { intervalMinutes: 1 } },
      hourly: { sync: { intervalMinutes: 60 } },
      never: {},
      folder: { extraPaths: [root.path], sync: { onSearch: true } },
      quiet: { extraPaths: [root.path], sync: { onSearch: false } },
      off: { sync: { intervalMinutes: 1 } },
    }))
      await app.call("POST", "/v1/agents", { id, settings });
    await app.call("PATCH", "/v1/agents/off", { disabled: true });
  });
  afterAll(async () => {
    await app.drop();
    root.remove();
  });

  const at = (minute: number): Deps => ({ ...app.runtime.deps, clock: () => new Date(minute * MINUTE) });
  const waiting = async (name = "sync") => {
    const { rows } = await app.db.executeSql<{ agent: string; through: number }>(
      `SELECT data->>'agentId' AS agent, (data->>'throughMinute')::int AS through FROM recollect_jobs.job
        WHERE name = $1 AND state = 'created' ORDER BY 1`,
      [name],
    );
    return rows;
  };
  const agents = async () => (await waiting()).map((row) => row.agent);
  const clear = () => app.db.executeSql("DELETE FROM recollect_jobs.job WHERE name IN ('sync', 'schedule')");
  const signal = new AbortController().signal;

  test("asks for the agents that are due, once while one waits, and for itself", async () => {
    await clear();
    await scheduleSyncs(at(1001), { reason: "interval", throughMinute: 1000 }, signal);
    await scheduleSyncs(at(1002), { reason: "interval", throughMinute: 1001 }, signal);
    expect((await agents()).filter((agent) => agent !== "hourly")).toEqual(["often"]);
    expect(await waiting("schedule")).toHaveLength(1);
    await clear();
    // No worker ran for an hour.
    await scheduleSyncs(at(1062), { reason: "interval", throughMinute: 1002 }, signal);
    expect(await agents()).toEqual(["hourly", "often"]);
    expect((await waiting("schedule")).map((row) => row.through)).toEqual([1062]);
  });

  test("a minute that one process has looked at is not looked at again by one whose clock is behind", async () => {
    await clear();
    await scheduleSyncs(at(1000), { reason: "interval", throughMinute: 1002 }, signal);
    expect((await waiting("schedule")).map((row) => row.through)).toEqual([1002]);
  });

  test("a worker that starts while another runs the schedule leaves the next to that one", async () => {
    const { deps } = app.runtime;
    await clear();
    await deps.queue.send(deps.db, SCHEDULE_JOB, { reason: "interval" as const, throughMinute: 1000 });
    await app.db.executeSql("UPDATE recollect_jobs.job SET state = 'active' WHERE name = 'schedule'");
    await startSchedule(at(1001));
    await scheduleSyncs(at(1001), { reason: "interval", throughMinute: 1000 }, signal);
    const throughs = (await waiting("schedule")).map((row) => row.through);
    // One of the two jobs is for the folders.
    expect(throughs).toEqual([1001, 1001]);
  });

  test("looks at agents with folders when a worker starts, and at those that had some", async () => {
    await clear();
    await scheduleSyncs(at(2000), { reason: "folders", throughMinute: 2000 }, signal);
    expect(await agents()).toEqual(["folder", "quiet"]);
    expect(await waiting("schedule")).toEqual([]);
  });

  test("a search asks for a sync once a minute, if the settings let it", async () => {
    await clear();
    for (let i = 0; i < 5; i++) for (const id of ["folder", "quiet", "never"]) await app.search("anything", {}, id);
    expect(await agents()).toEqual(["folder"]);
    await clear();
    await app.search("anything", {}, "folder");
    expect(await agents()).toEqual([]);
  });

  test("is cheap: the agents of a page cost one statement", async () => {
    let statements = 0;
    const { deps } = app.runtime;
    const counting = ((...args) => {
      statements++;
      return deps.db.executeSql(...args);
    }) as typeof deps.db.executeSql;
    await clear();
    const later = { reason: "interval", throughMinute: 5_000_000_000 } as const;
    await scheduleSyncs({ ...deps, db: { ...deps.db, executeSql: counting } }, later, signal);
    // One statement each: the next turn, the pruning of answers, of activity and of its sums by the
    // hour, and the page of agents.
    expect(statements).toBe(5);
  });

  test("two workers run it once a turn, and the sync of an agent once", async () => {
    const lines: string[] = [];
    const log = { write: (line: string) => void lines.push(line) };
    const noted = { ...env, RECOLLECT_LOG_LEVEL: "info" };
    const syncs = () =>
      lines.filter(
        (line) => line.includes('"msg":"job"') && line.includes('"queue":"sync"') && line.includes('"often"'),
      );
    const { deps } = app.runtime;
    const now = Math.floor(Date.now() / MINUTE);
    const waitingTurns = async () => (await waiting("schedule")).map((row) => row.through);
    await clear();
    // The workers find that a turn waits, and add none.
    await deps.queue.send(deps.db, SCHEDULE_JOB, { reason: "interval" as const, throughMinute: now }, "in a minute");
    const workers = [
      await startTestApp({ on: app, env: noted, log }),
      await startTestApp({ on: app, env: noted, log }),
    ];
    // On a slow machine the next turn would come while this test runs, so the workers' clock stands
    // still.
    for (const worker of workers) (worker.runtime.deps as { clock: () => Date }).clock = () => new Date(now * MINUTE);
    // Syncs that workers start at their beginning do not belong to a turn; they include agents
    // whose folder an earlier test has removed.
    await app.rested();
    for (let turn = 1; turn <= 3; turn++) {
      const asked = syncs().length;
      await app.db.executeSql("DELETE FROM recollect_jobs.job WHERE name = 'schedule' AND state = 'created'");
      await deps.queue.send(deps.db, SCHEDULE_JOB, { reason: "interval" as const, throughMinute: now - 3 });
      await until(async () => syncs().length > asked && (await waiting()).length === 0);
      expect(syncs().length).toBe(asked + 1);
      await until(async () => (await waitingTurns()).join() === String(now));
    }
    await Promise.all(workers.map((worker) => worker.drop()));
  });
});
