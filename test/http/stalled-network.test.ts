import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/db/pg.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { type NetworkProxy, startNetworkProxy } from "../support/network-proxy.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** The time within which the service promises to answer each request. */
const ANSWERED_MS = 30_000;
const ERRORS = [
  ...["database_unavailable", "database_busy", "database_timeout", "outcome_unknown"],
  // A search has no error code: its answer says that memory could not be searched.
  undefined,
];

describe(
  "a service whose network swallows bytes for a while",
  needsPostgres("the embedded database has no network"),
  () => {
    let direct: TestDatabase;
    let network: NetworkProxy;
    let app: TestApp;
    let closeDb: () => Promise<void>;
    beforeAll(async () => {
      direct = await openTestDatabase();
      network = await startNetworkProxy(direct.url ?? "");
      const db = openPostgres({
        connectionString: network.through(direct.url ?? ""),
        maxConnections: 8,
        onIdleError: () => undefined,
        limits: {
          waitMs: 4_000,
          connectMs: 4_000,
          readMs: 3_000,
          writeMs: 3_000,
          lockMs: 2_000,
          idleMs: 5_000,
          graceMs: 500,
          rollbackMs: 500,
          lookMs: 1_600,
          restMs: 1_500,
          tryMs: 1_500,
        },
      });
      closeDb = () => db.close();
      app = await startTestApp({ on: { ...direct, db } });
      await app.put("a.md", "The heron waits at the ferry.");
      await app.rested();
    });
    afterAll(async () => {
      network.set("pass");
      await app?.drop();
      await closeDb?.();
      await network.close();
      await direct.drop();
    });

    const ready = async () => (await app.call("GET", "/health/ready")).status;

    test("answers every request in time, is not ready meanwhile, and works as ever afterwards", async () => {
      const acknowledged: string[] = [];
      let slowest = 0;
      const timed = async (request: Promise<{ status: number; body: unknown }>) => {
        const begun = performance.now();
        const { status, body } = await request;
        slowest = Math.max(slowest, performance.now() - begun);
        const { error } = body as { error?: { code: string } | string };
        return { status, code: typeof error === "object" ? error.code : error };
      };
      const write = async (path: string) => {
        const answer = await timed(app.put(path, `A note of ${path}`));
        if (answer.status === 200) acknowledged.push(path);
        return answer;
      };
      const message = { messages: [{ role: "user", text: "Where is the heron?" }] };
      const round = (n: number) => [
        ...Array.from({ length: 4 }, (_, i) => write(`n${n}-${i}.md`)),
        timed(app.call("POST", "/v1/agents/main/tools/memory_search", { query: `heron ${n}` })),
        timed(app.call("POST", `/v1/agents/main/sessions/s${n}/messages`, message)),
        timed(app.call("POST", "/v1/agents/main/facts", { facts: [{ text: `Mina likes tea number ${n}` }] })),
      ];
      const before = round(0);
      network.set("swallow");
      const during = [...before, ...round(1), ...round(2)];
      const begun = performance.now();
      await until(async () => (await ready()) === 503);
      expect(performance.now() - begun).toBeLessThan(ANSWERED_MS);
      const answers = await Promise.all(during);
      expect(slowest).toBeLessThan(ANSWERED_MS);
      for (const { status, code } of answers)
        expect(status === 200 || ERRORS.includes(code), `${status} ${code}`).toBe(true);
      network.set("pass");
      await until(async () => (await ready()) === 200);
      await until(async () => (await Promise.all(round(3))).every(({ status, code }) => status === 200 && !code));
      for (const path of acknowledged)
        expect((await app.call("GET", `/v1/agents/main/files/${path}`)).status, path).toBe(200);
      // Jobs continue too.
      await app.embedded();
      await app.rested();
      const { rows } = await direct.db.executeSql(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
          AND state_change < now() - interval '30 seconds'`,
      );
      expect(rows).toEqual([]);
    });
  },
);
