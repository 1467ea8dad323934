import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkService, unfinishedJobs } from "../support/check-service.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { type MeteredProvider, meteredEnv, meteredVector, startMeteredProvider } from "../support/metered-provider.ts";
import { needsPostgres } from "../support/needs.ts";
import { followStream, type RollingLog, rollingClient, roundRobin } from "../support/rolling-clients.ts";
import { type RollingService, startRollingService } from "../support/rolling-service.ts";
import { until } from "../support/until.ts";

const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;
/** The number of clients; set a higher number to try more by hand. */
const CLIENTS = Number(process.env.RECOLLECT_ROLLING_CLIENTS ?? 4);
const AGENTS = 2;

const OPTIONS = needsPostgres("the embedded database has one process, which test/http/drain.test.ts tells to stop");

describe("two APIs and two workers", OPTIONS, () => {
  let database: TestDatabase;
  let provider: MeteredProvider;
  let service: RollingService;
  beforeAll(async () => {
    database = await openTestDatabase();
    provider = await startMeteredProvider(() => 30);
    const url = new URL(database.url ?? "");
    service = await startRollingService((name) => {
      // The name lets Postgres show which process holds which connection.
      url.searchParams.set("application_name", name);
      return meteredEnv(url.href, ADMIN_KEY, provider);
    });
  });
  afterAll(async () => {
    await service.stop();
    await provider.close();
    await database.drop();
  });

  test("no request fails while each process is restarted in turn, and nothing is lost or there twice", async () => {
    const log: RollingLog = { failures: [], latencies: [], retries: new Map() };
    const ask = roundRobin(service.urls, ADMIN_KEY, log);
    for (let i = 0; i < AGENTS; i++) await ask({ method: "POST", path: "/v1/agents", body: { id: `team${i}` } });
    const clients = Array.from({ length: CLIENTS }, (_, i) => {
      const place = { agent: `team${i % AGENTS}`, name: `client${i}`, restMs: 100 };
      return rollingClient(place, ask, log, ADMIN_KEY);
    });
    let writing = true;
    const work = Promise.all([
      ...clients.map((client) => client.work(() => writing)),
      ...service.urls.map((url) => followStream({ url, agent: "team0", apiKey: ADMIN_KEY }, log, () => writing)),
    ]);
    const stops: [string, number][] = [];
    for (const name of service.names) {
      const { stopMs, problems } = await service.restart(name);
      stops.push([name, stopMs]);
      log.failures.push(...problems);
    }
    writing = false;
    await work;
    await until(async () => (await unfinishedJobs(database.db)).length === 0);
    for (const client of clients) await client.check(service.urls);
    const wrong = await checkService(database.db, { vectorOf: meteredVector, aloneOnServer: false });
    const latencies = log.latencies.toSorted((a, b) => a - b);
    const [p50, p95, p99, most] = [0.5, 0.95, 0.99, 1].map((share) =>
      Math.round(latencies[Math.ceil(share * latencies.length) - 1] ?? 0),
    );
    process.stdout.write(
      `${CLIENTS} clients, ${latencies.length} requests, p50 ${p50}, p95 ${p95}, p99 ${p99}, most ${most} ms, second tries ` +
        `${JSON.stringify(Object.fromEntries(log.retries))}, stopped in ${stops.map(([name, ms]) => `${name} ${ms} ms`).join(", ")}\n`,
    );
    expect([...log.failures, ...wrong]).toEqual([]);
  });

  test("what a worker that is killed was doing on schedule, the other does, once", async () => {
    const log: RollingLog = { failures: [], latencies: [], retries: new Map() };
    const ask = roundRobin(service.urls, ADMIN_KEY, log);
    await ask({
      method: "POST",
      path: "/v1/agents",
      body: { id: "clock", settings: { sync: { intervalMinutes: 1 } } },
    });
    const query = database.db.executeSql;
    const workers = service.names.filter((name) => name.startsWith("worker"));
    let runner: string | undefined;
    // Holds the run of the schedule after it has requested the next run, and before it requests
    // anything else.
    await database.db.transaction(async (tx) => {
      await tx.executeSql("LOCK TABLE recollect.idempotency_keys IN ACCESS EXCLUSIVE MODE");
      const due =
        "start_after = now(), data = jsonb_set(data, '{throughMinute}', to_jsonb((data->>'throughMinute')::int - 3))";
      await query(`UPDATE recollect_jobs.job SET ${due} WHERE name = 'schedule' AND state = 'created'`);
      await until(async () => {
        const { rows } = await query<{ name: string }>(
          "SELECT application_name AS name FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        runner = rows.map(({ name }) => name).find((name) => workers.includes(name));
        return runner !== undefined;
      });
      await service.kill(runner ?? "");
    });
    // Workers check heartbeats every ten seconds and take a job whose heartbeat is more than ten
    // seconds old.
    await query("UPDATE recollect_jobs.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'");
    const other = workers.find((name) => name !== runner) ?? "";
    const done = (queue: string) =>
      service.log(other).filter((line) => line.includes('"msg":"job"') && line.includes(`"queue":"${queue}"`));
    const syncs = () => done("sync").filter((line) => line.includes('"agentId":"clock"'));
    await until(async () => syncs().length > 0 && (await unfinishedJobs(database.db)).length === 0);
    expect(syncs()).toHaveLength(1);
    const next = await query("SELECT FROM recollect_jobs.job WHERE name = 'schedule' AND state = 'created'");
    expect([next.rows.length, log.failures]).toEqual([1, []]);
  });
});
