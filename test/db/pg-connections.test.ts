import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database, SqlExecutor } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";

const CONNECTIONS = 4;

describe("connections to Postgres", needsPostgres("the embedded database has one connection"), () => {
  let database: TestDatabase;
  let db: Database;
  let lost = 0;
  beforeAll(async () => {
    database = await openTestDatabase();
    db = openPostgres({
      connectionString: database.url ?? "",
      maxConnections: CONNECTIONS,
      onIdleError: () => undefined,
      onStatementLost: () => {
        lost++;
      },
    });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  // Waits until the connections are free. A transaction that only reads returns before its end has
  // been confirmed.
  const rested = () => expect.poll(() => db.pool?.().busy, { interval: 1 }).toBe(0);
  const pid = async (sql: SqlExecutor) =>
    (await sql.executeSql<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid ?? 0;

  const pidFor = async (agent: string) => {
    const answer = await db.transaction(pid, { agent });
    await rested();
    return answer;
  };

  /** Holds the connection that an agent gets while `work` runs. */
  const holding = <T>(agent: string, work: () => Promise<T>): Promise<T> => db.transaction(() => work(), { agent });
  const beside = (agent: string) => holding(agent, () => db.transaction(pid, { agent }));

  /** Runs `work` on every connection. Each call waits until all connections are taken. */
  const onEach = <T>(work: (sql: SqlExecutor) => Promise<T>): Promise<PromiseSettledResult<T>[]> => {
    const all = Promise.withResolvers<void>();
    let taken = 0;
    const one = () =>
      db.transaction(
        async (tx) => {
          if (++taken === CONNECTIONS) all.resolve();
          await all.promise;
          return work(tx);
        },
        { prepares: true },
      );
    return Promise.allSettled(Array.from({ length: CONNECTIONS }, one));
  };

  test("an agent comes back to its own, whoever was there between", async () => {
    const own = await pidFor("one");
    const others = new Set<number>();
    for (let n = 0; n < 20; n++) {
      others.add(await pidFor(`other ${n}`));
      expect(await pidFor("one")).toBe(own);
    }
    expect(others.size).toBe(CONNECTIONS);
  });

  test("while its own is busy an agent gets another, which knows it from then on", async () => {
    const own = await pidFor("two");
    const second = await beside("two");
    expect(second).not.toBe(own);
    // The third connection would have to learn the agent's statements first, so connections that
    // know them are chosen before it.
    expect(await beside("two")).toBe(second);
    expect(await pidFor("two")).toBe(own);
  });

  test("who finds all of them busy gets the first that is given back", async () => {
    await rested();
    const all = Promise.withResolvers<void>();
    const held = Array.from({ length: CONNECTIONS }, () => db.transaction(async () => all.promise));
    const waiting = [db.transaction(pid, { agent: "three", readOnly: true }), pid(db)];
    const seen = db.pool?.();
    all.resolve();
    expect(seen).toMatchObject({ busy: CONNECTIONS, waiting: 2 });
    await Promise.all(held);
    for (const answer of waiting) expect(await answer).toBeGreaterThan(0);
    await rested();
    expect(db.pool?.().waiting).toBe(0);
  });

  test("one that has lost a prepared statement prepares none any more, the others do", async () => {
    const ask = async (sql: SqlExecutor) =>
      (await sql.executeSql("SELECT $1::int AS one", [1], { prepare: true })).rows;
    const known = async (sql: SqlExecutor) =>
      (await sql.executeSql<{ count: number }>("SELECT count(*)::int AS count FROM pg_prepared_statements")).rows[0];
    for (let time = 0; time < 2; time++) await onEach(ask);
    await db.executeSql("DEALLOCATE ALL");
    const asked = await onEach(ask);
    expect(asked.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(asked.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "26000" } });
    for (const answer of await onEach(ask)) expect(answer).toEqual({ status: "fulfilled", value: [{ one: 1 }] });
    const counts = (await onEach(known)).map((answer) => answer.status === "fulfilled" && answer.value?.count);
    expect(counts.sort()).toEqual([0, 1, 1, 1]);
    expect(lost).toBe(1);
  });

  test("a transaction that is not told that it may prepares nothing", async () => {
    const { rows } = await db.transaction(async (tx) => {
      for (let time = 0; time < 2; time++) await tx.executeSql("SELECT $1::int AS unprepared", [1], { prepare: true });
      return tx.executeSql("SELECT 1 FROM pg_prepared_statements WHERE statement LIKE '%unprepared'");
    });
    expect(rows).toEqual([]);
  });

  const prepared = async (sql: SqlExecutor) => {
    const known = "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%numbered' ORDER BY prepare_time";
    return (await sql.executeSql<{ statement: string }>(known)).rows.map((row) => row.statement);
  };
  const numbered = (n: number) => `SELECT $1::int + ${n} AS numbered`;
  const runs = async (sql: SqlExecutor, from: number, to: number) => {
    for (let n = from; n < to; n++)
      expect((await sql.executeSql(numbered(n), [1], { prepare: true })).rows).toEqual([{ numbered: n + 1 }]);
  };

  test("a statement is prepared when it is run for the second time", async () => {
    await db.transaction(
      async (tx) => {
        await runs(tx, 0, 1);
        expect(await prepared(tx)).toEqual([]);
        await runs(tx, 0, 1);
        expect(await prepared(tx)).toEqual([numbered(0)]);
      },
      { agent: "four", prepares: true },
    );
  });

  test("the server forgets what was not run for long, and is given it again", async () => {
    const options = { agent: "five", prepares: true };
    const before = await pidFor("five");
    await db.transaction(async (tx) => {
      await runs(tx, 1, 11);
      await runs(tx, 1, 11);
      // Statements that run once are remembered too, but not prepared.
      await runs(tx, 100, 1095);
    }, options);
    // Surplus statements are closed when the connection is taken again.
    expect(await db.transaction(prepared, options)).toEqual([6, 7, 8, 9, 10].map(numbered));
    await db.transaction((tx) => runs(tx, 1, 4), options);
    await db.transaction((tx) => runs(tx, 1, 4), options);
    expect((await db.transaction(prepared, options)).slice(-3)).toEqual([1, 2, 3].map(numbered));
    expect(await pidFor("five")).toBe(before);
  });

  test("one that knows very many agents is replaced", async () => {
    const before = await pidFor("six");
    for (let n = 0; n < CONNECTIONS * 1100; n++) await db.transaction(async () => undefined, { agent: `many ${n}` });
    const after = await pidFor("six");
    expect(after).not.toBe(before);
    expect(await pidFor("six")).toBe(after);
  });

  test("closing does not wait for a statement that goes on for long", async () => {
    const other = openPostgres({
      connectionString: database.url ?? "",
      maxConnections: 2,
      onIdleError: () => undefined,
      onStatementLost: () => undefined,
    });
    const sleeping = other.executeSql("SELECT pg_sleep(120)").then(
      () => "done",
      () => "given up",
    );
    await expect.poll(() => other.pool?.().busy, { interval: 5 }).toBe(1);
    const begun = performance.now();
    await other.close();
    expect(await sleeping).toBe("given up");
    expect(performance.now() - begun).toBeLessThan(60_000);
    await database.db.executeSql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(120)'",
    );
  });
});
