import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startBalancer } from "../support/balancer.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { type MeteredProvider, meteredEnv, startMeteredProvider } from "../support/metered-provider.ts";
import { needsPostgres } from "../support/needs.ts";
import { callUrl, type RunningCommand, runCommand } from "../support/process.ts";
import { startRollingService } from "../support/rolling-service.ts";
import { until } from "../support/until.ts";
import { type UpgradeLog, upgradeClient } from "../support/upgrade-client.ts";

const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;
/** The longest time that a single process may be away for an upgrade, on an idle machine. */
const MOST_AWAY_MS = 15_000;

const OPTIONS = needsPostgres("several processes share a database");

/** Prints what a client has noticed, for the figures of docs/operations/backup-and-upgrade.md. */
function print(what: string, { requests, failures, longestGapMs, slowestMs }: UpgradeLog): void {
  process.stdout.write(
    `${what}: ${requests} requests, ${failures.length} failed, longest time without an answer ${longestGapMs} ms, ` +
      `slowest answer ${slowestMs} ms\n`,
  );
}

describe("an upgrade", OPTIONS, () => {
  let database: TestDatabase;
  let provider: MeteredProvider;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await openTestDatabase();
    provider = await startMeteredProvider(() => 30);
    env = meteredEnv(database.url ?? "", ADMIN_KEY, provider);
  });
  afterEach(async () => {
    await provider.close();
    await database.drop();
  });

  const migrate = async () => expect(await runCommand(["migrate"], env).ended).toBe(0);

  test("of two API processes behind a balancer: no request fails, and the client repeats none", async () => {
    const service = await startRollingService(() => env);
    const balancer = await startBalancer(service.urls);
    try {
      await callUrl(balancer.url, "POST", "/v1/agents", { id: "notes" }, ADMIN_KEY);
      let working = true;
      const client = upgradeClient({ url: balancer.url, apiKey: ADMIN_KEY, agent: "notes" }, () => working);
      await migrate();
      for (const name of service.names) expect((await service.restart(name)).problems).toEqual([]);
      working = false;
      const log = await client;
      print("two API processes", log);
      expect([...log.failures, ...log.lost]).toEqual([]);
    } finally {
      await balancer.close();
      await service.stop();
    }
  });

  /** Upgrades the only process, and returns what a client that talks to it directly notices. */
  async function upgradeOne(
    during: (server: RunningCommand) => Promise<void>,
  ): Promise<UpgradeLog & { mostMs: number }> {
    const start = async (port: string) => {
      const server = runCommand(["serve", "--port", port], env);
      const [, url = ""] = await server.saw(/"url":"([^"]+)"/);
      return { server, url };
    };
    const { server: old, url } = await start("0");
    let next: RunningCommand | undefined;
    try {
      await callUrl(url, "POST", "/v1/agents", { id: "notes" }, ADMIN_KEY);
      let working = true;
      const client = upgradeClient({ url, apiKey: ADMIN_KEY, agent: "notes" }, () => working);
      await migrate();
      await during(old);
      const told = performance.now();
      old.child.kill("SIGTERM");
      expect(await old.ended).toBe(0);
      const begun = performance.now();
      next = (await start(new URL(url).port)).server;
      // On a busy machine the stop and the start alone take longer than on an idle one.
      const mostMs = Math.max(MOST_AWAY_MS, begun - told + 2 * (performance.now() - begun));
      // The client has answers of the new process before it stops.
      await until(async () => next?.output().stderr.match(/"route":"[^"]+search","status":200/) !== null);
      working = false;
      return { ...(await client), mostMs };
    } finally {
      old.child.kill("SIGKILL");
      next?.child.kill("SIGKILL");
      await next?.ended;
    }
  }

  test("of one process takes seconds, and nothing that it acknowledged is lost", async () => {
    const log = await upgradeOne(async () => undefined);
    print("one process", log);
    expect(log.lost).toEqual([]);
    expect(log.longestGapMs).toBeLessThan(log.mostMs);
  });

  test("of one process waits for a job that cannot be stopped while it goes on answering", async () => {
    let isReleased = false;
    let held: Promise<unknown> | undefined;
    const log = await upgradeOne(async () => {
      const query = database.db.executeSql;
      // A job that plans batches waits for this table, and no request does. Postgres would end a
      // transaction that is idle for long.
      held = database.db.transaction(async (tx) => {
        await tx.executeSql("LOCK TABLE recollect.embedding_batches IN ACCESS EXCLUSIVE MODE");
        await until(async () => (await tx.executeSql("SELECT 1")) && isReleased);
      });
      await until(async () => {
        const { rows } = await query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        return rows.length > 0;
      });
    });
    // Only now: the process has ended without the job.
    isReleased = true;
    await held;
    print("one process with a job that waits", log);
    expect(log.lost).toEqual([]);
    expect(log.longestGapMs).toBeLessThan(log.mostMs);
  });
});
