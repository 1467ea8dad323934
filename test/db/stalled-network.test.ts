import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runInContext } from "../../src/base/request-context.ts";
import type { Database, TransactionExecutor } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import type { PgLimits } from "../../src/db/pg-limits.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { type NetworkProxy, startNetworkProxy } from "../support/network-proxy.ts";
import { until } from "../support/until.ts";

/** A tenth or less of the real limits, but long enough for a busy machine to answer. */
const LIMITS: Partial<PgLimits> = {
  waitMs: 3_000,
  connectMs: 3_000,
  readMs: 1_500,
  writeMs: 1_500,
  lockMs: 1_000,
  idleMs: 3_000,
  graceMs: 500,
  rollbackMs: 500,
  lookMs: 700,
  restMs: 1_000,
  tryMs: 1_000,
};
/**
 * The time that a pool with these limits needs to give up hanging work, with room for a busy
 * machine.
 */
const IN_TIME_MS = 15_000;

describe("a network that loses bytes", needsPostgres("the embedded database has no network"), () => {
  let database: TestDatabase;
  let network: NetworkProxy;
  let db: Database;
  let unanswered = 0;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.db.executeSql("CREATE TABLE things (id int PRIMARY KEY); INSERT INTO things VALUES (0)");
    network = await startNetworkProxy(database.url ?? "");
  });
  afterAll(async () => {
    await network.close();
    await database.drop();
  });
  beforeEach(() => {
    unanswered = 0;
    db = openPostgres({
      connectionString: network.through(database.url ?? ""),
      maxConnections: 3,
      onIdleError: () => undefined,
      onNoAnswer: () => {
        unanswered++;
      },
      limits: LIMITS,
    });
  });
  afterEach(async () => {
    network.set("pass");
    network.delay(0);
    await db.close();
  });

  /** Runs `fn` as a request, whose statements are short. */
  const asked = <T>(fn: () => T): T => runInContext({ requestId: "r", statements: 0 }, fn);
  const ask = () => db.executeSql<{ one: number }>("SELECT 1 AS one");
  /** Returns the outcome of a promise that must settle in time. */
  const inTime = async <T>(promise: Promise<T>): Promise<T> => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("It hangs.")), IN_TIME_MS);
    return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
  };
  const worksAgain = () =>
    until(async () => {
      const answers = await Promise.allSettled(Array.from({ length: 6 }, ask));
      return answers.every(({ status }) => status === "fulfilled");
    });
  const things = async () =>
    (await database.db.executeSql<{ id: number }>("SELECT id FROM things ORDER BY id")).rows.map(({ id }) => id);
  const insert = (tx: TransactionExecutor, id: number) => tx.executeSql("INSERT INTO things VALUES ($1)", [id]);

  /** Opens all connections of the pool. */
  const warm = () =>
    Promise.all(Array.from({ length: 3 }, () => db.transaction((tx) => tx.executeSql("SELECT pg_sleep(0.1)"))));

  const unavailable = { code: "database_unavailable" };

  test.each(["swallow", "deaf"] as const)("that %ss fails a statement in time, and later ones work", async (state) => {
    await warm();
    network.set(state);
    await expect(inTime(asked(ask))).rejects.toMatchObject(unavailable);
    expect(unanswered).toBeGreaterThan(0);
    network.set("pass");
    await worksAgain();
  });

  test("fails transactions at whichever statement they are, and leaves none of them open", async () => {
    await warm();
    const at = async (moment: number) => {
      const reached = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      const ended = asked(() =>
        db.transaction(async (tx) => {
          for (let n = 0; n < 3; n++) {
            if (n === moment) {
              reached.resolve();
              await go.promise;
            }
            await insert(tx, 100 + 10 * moment + n);
          }
        }),
      );
      ended.catch(() => undefined);
      await reached.promise;
      return { go: go.resolve, ended };
    };
    const all = await Promise.all([0, 1, 2].map(at));
    network.set("swallow");
    for (const { go } of all) go();
    for (const { ended } of all) await expect(inTime(ended)).rejects.toMatchObject(unavailable);
    network.set("pass");
    await worksAgain();
    // The proxy did not tell the server that its connections had ended, so the server has to end
    // their transactions itself.
    await until(async () => {
      const { rows } = await database.db.executeSql(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      );
      return rows.length === 0;
    });
    expect(await things()).toEqual([0]);
  });

  test("before COMMIT is answered leaves a write of which nobody knows whether it is stored, and says so", async () => {
    await warm();
    const write = (id: number) => asked(() => db.transaction((tx) => insert(tx, id).then(() => network.set("deaf"))));
    await expect(inTime(write(1))).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringMatching(/may be stored or not/),
    });
    network.set("pass");
    await worksAgain();
    expect(await things()).toEqual([0, 1]);
    const lost = asked(() => db.transaction((tx) => insert(tx, 2).then(() => network.set("swallow"))));
    await expect(inTime(lost)).rejects.toMatchObject({ code: "outcome_unknown" });
    network.set("pass");
    await worksAgain();
    expect(await things()).toEqual([0, 1]);
    await database.db.executeSql("DELETE FROM things WHERE id <> 0");
  });

  test("before ROLLBACK is answered does not keep the connection, nor whoever waits for the error", async () => {
    await warm();
    const failing = asked(() =>
      db.transaction(async (tx) => {
        await tx.executeSql("SELECT 1");
        network.set("swallow");
        throw new Error("a fault of ours");
      }),
    );
    await expect(inTime(failing)).rejects.toThrow("a fault of ours");
    network.set("pass");
    await worksAgain();
  });

  test("is found on idle connections before a request meets them", async () => {
    await warm();
    network.set("swallow");
    network.loseServerSide();
    await until(() => unanswered === 3);
    network.set("pass");
    for (let n = 0; n < 3; n++) expect((await asked(ask)).rows).toEqual([{ one: 1 }]);
  });

  test("accepts no connection, and is given up in time", async () => {
    network.set("swallow");
    await expect(inTime(asked(ask))).rejects.toMatchObject(unavailable);
    network.set("pass");
    await worksAgain();
  });

  test("fails work that may take long once the server does not run it", async () => {
    await warm();
    network.set("swallow");
    // Without the context of a request this is work of the service, for which the server allows an
    // hour.
    const lost = inTime(db.transaction((tx) => tx.executeSql("SELECT 1"))).catch((error: unknown) => error);
    // The server can be reached again, and does not run the lost statement.
    await until(() => network.swallowed() > 0);
    network.set("pass");
    expect(await lost).toMatchObject(unavailable);
    await worksAgain();
  });

  test("has not lost what takes long and is still run", async () => {
    const slow = db.executeSql<{ one: number }>("SELECT 1 AS one, pg_sleep(5)");
    expect(await slow).toMatchObject({ rows: [{ one: 1 }] });
    expect(unanswered).toBe(0);
  });

  test("that is slow loses nothing", async () => {
    network.delay(50);
    await asked(() => db.transaction((tx) => insert(tx, 3)));
    expect((await asked(ask)).rows).toEqual([{ one: 1 }]);
    network.delay(0);
    expect(await things()).toEqual([0, 3]);
    expect(unanswered).toBe(0);
    await database.db.executeSql("DELETE FROM things WHERE id <> 0");
  });

  test("that is reset in mid-answer fails what was asked, and no answer is another's", async () => {
    await warm();
    const rows = (n: number) => db.executeSql<{ n: number }>(`SELECT ${n} AS n FROM generate_series(1, 1000)`);
    network.set({ resetAfterBytes: 20 });
    const broken = await Promise.allSettled([1, 2, 3].map((n) => inTime(asked(() => rows(n)))));
    for (const one of broken) expect(one).toMatchObject({ status: "rejected", reason: unavailable });
    network.set("pass");
    await worksAgain();
    for (const n of [4, 5, 6])
      expect(new Set((await asked(() => rows(n))).rows.map((row) => row.n))).toEqual(new Set([n]));
  });

  test("does not keep a listener deaf, nor a process from its end", async () => {
    const heard: string[] = [];
    const listener = await db.listen(
      "news",
      (payload) => heard.push(payload),
      () => undefined,
    );
    const notify = (payload: string) => database.db.executeSql("SELECT pg_notify('news', $1)", [payload]);
    await notify("first");
    await until(async () => heard.includes("first"));
    const open = network.connections();
    network.set("swallow");
    network.loseServerSide();
    // The listener has noticed that its connection is gone.
    await until(() => network.connections() < open);
    network.set("pass");
    await until(async () => {
      await notify("later");
      return heard.includes("later");
    });
    network.set("swallow");
    await inTime(listener.close());
  });

  test("is told apart from a statement that the server ends at its limit", async () => {
    const sleep = "SELECT pg_sleep(60)";
    const slow = asked(() => db.transaction((tx) => tx.executeSql(sleep)));
    await expect(inTime(slow)).rejects.toMatchObject({ code: "database_timeout" });
    await expect(inTime(asked(() => db.executeSql(sleep)))).rejects.toMatchObject({ code: "database_timeout" });
    expect(unanswered).toBe(0);
  });
});
