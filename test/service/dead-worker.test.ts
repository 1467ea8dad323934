import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Finding } from "../../src/client/client.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface Status {
  workerAlive: boolean;
}

describe("after the only worker was killed in the middle of a job", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "The heron waits at the ferry.");
  });
  afterAll(() => app.drop());

  /**
   * Puts the agent's job into the state in which a killed worker leaves it. The worker's last
   * heartbeat was that many seconds ago.
   */
  const leaveJob = async (seconds: number) => {
    const { rows } = await app.db.executeSql(
      `UPDATE recollect_jobs.job SET state = 'active', started_on = now() - interval '1 hour', heartbeat_on = now() - $1::int * interval '1 s'
        WHERE name = 'embed' RETURNING id`,
      [seconds],
    );
    expect(rows).toHaveLength(1);
  };
  const workerAlive = async () => (await app.call<Status>("GET", "/v1/agents/main/status")).body.workerAlive;
  const queueFinding = async () => {
    const { body } = await app.call<{ findings: Finding[] }>("GET", "/v1/doctor");
    return body.findings.find(({ check }) => check === "queue");
  };
  const addSchedule = () =>
    app.db.executeSql(
      `INSERT INTO recollect_jobs.job (name, state, data, started_on, completed_on)
       VALUES ('schedule', 'completed', '{"reason": "interval"}', now() - interval '2 min', now() - interval '2 min')`,
    );

  test("nothing says that a worker lives, once its last sign is old", async () => {
    await addSchedule();
    await leaveJob(5);
    expect(await workerAlive()).toBe(true);
    expect(await app.runtime.deps.queue.silentMs()).toBe(0);
    expect(await queueFinding()).toMatchObject({ state: "ok", message: expect.stringContaining("A worker is alive") });
    await leaveJob(100);
    expect(await workerAlive()).toBe(false);
    expect(await app.runtime.deps.queue.silentMs()).toBeGreaterThan(90_000);
    expect(await queueFinding()).toMatchObject({
      state: "failed",
      message: expect.stringMatching(/^No worker is running: a job or the schedule has waited 1\d\d s/),
    });
  });

  test("a tenant's key learns at once that a worker has started", async () => {
    const key = await app.key(["tenant"]);
    const found = async () => {
      const { body } = await app.call<{ findings: Finding[] }>("GET", "/v1/doctor", undefined, key);
      return body.findings.find(({ check }) => check === "queue")?.state;
    };
    await leaveJob(100);
    expect(await found()).toBe("failed");
    await leaveJob(1);
    expect(await found()).toBe("ok");
  });

  test("a job that was done a moment ago is a sign of a worker that is between two", async () => {
    await leaveJob(100);
    await app.db.executeSql(
      `UPDATE recollect_jobs.job SET started_on = now(), completed_on = now() WHERE name = 'schedule' AND state = 'completed'`,
    );
    expect(await workerAlive()).toBe(true);
  });
});
