import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { statementName } from "../../src/db/prepared-statements.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";

async function whoAmI(sql: SqlExecutor): Promise<string | undefined> {
  const { rows } = await sql.executeSql<{ name: string }>("SELECT current_user AS name");
  return rows[0]?.name;
}

describe("a database connection", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  test("goes back to the pool after a failed transaction", async () => {
    const failing = database.db.transaction((tx) => tx.executeSql("SELECT no_such_column"));
    await expect(failing).rejects.toMatchObject({ code: "42703" });
    expect((await database.db.executeSql("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  describe("whose transaction has failed does not commit, although nobody passes the failure on", () => {
    const count = async () =>
      (await database.db.executeSql<{ count: number }>("SELECT count(*)::int AS count FROM kept")).rows[0]?.count;
    beforeAll(() => database.db.executeSql("CREATE TABLE kept (id int PRIMARY KEY)"));
    const swallow = (tx: SqlExecutor, sql: string) => tx.executeSql(sql).catch(() => undefined);

    test.each([
      ["a statement that is not valid", "SELECT no_such_column", "42703"],
      ["a row that is there already", "INSERT INTO kept VALUES (1)", "23505"],
    ])("after %s", async (_what, bad, code) => {
      const failing = database.db.transaction(async (tx) => {
        await tx.executeSql("INSERT INTO kept VALUES (1)");
        await swallow(tx, bad);
      });
      await expect(failing).rejects.toMatchObject({ code });
      expect(await count()).toBe(0);
    });

    test("nor as an agent, whose writes would count as acknowledged", async () => {
      const space = { schema: schemaName("nobody"), role: roleName((await whoAmI(database.db)) ?? "") };
      const failing = withAgentTransaction(database.db, space, async (tx) => {
        await tx.executeSql("INSERT INTO public.kept VALUES (1)");
        await swallow(tx, "SELECT no_such_column");
      });
      await expect(failing).rejects.toMatchObject({ code: "42703" });
      expect(await count()).toBe(0);
    });

    test("after one of several statements of one text", async () => {
      const failing = database.db.transaction(async (tx) => {
        await swallow(tx, "INSERT INTO kept VALUES (1); SELECT no_such_column");
        await tx.executeSql("SELECT 1").catch(() => undefined);
      });
      await expect(failing).rejects.toMatchObject({ code: "42703" });
    });

    test("unless a savepoint has saved it", async () => {
      await database.db.transaction(async (tx) => {
        await tx.executeSql("INSERT INTO kept VALUES (1); SAVEPOINT here");
        await swallow(tx, "SELECT no_such_column");
        await tx.executeSql("ROLLBACK TO SAVEPOINT here");
      });
      expect(await count()).toBe(1);
    });

    test("and a transaction that only reads answers, as there is nothing to lose", async () => {
      const one = database.db.transaction(
        async (tx) => {
          await swallow(tx, "SELECT no_such_column");
          return 1;
        },
        { readOnly: true },
      );
      expect(await one).toBe(1);
      expect((await database.db.executeSql("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    });
  });

  test("answers statements that were sent together each with its own rows", async () => {
    const rows = await database.db.transaction(
      (tx) =>
        Promise.all(
          Array.from({ length: 20 }, async (_, n) => {
            // Some statements are prepared under one name: the third is sent before the server has
            // answered the second.
            const answer = await tx.executeSql("SELECT $1::int AS n", [n], n % 2 ? { prepare: true } : {});
            return answer.rows[0];
          }),
        ),
      { readOnly: true, prepares: true },
    );
    expect(rows).toEqual(Array.from({ length: 20 }, (_, n) => ({ n })));
  });

  test("is whole again when one of several statements fails that were sent together", async () => {
    const { db } = database;
    for (let round = 0; round < 12; round++) {
      const together = db.transaction(
        (tx) => Promise.all(["SELECT 1", "SELECT no_such_column", "SELECT 2"].map((sql) => tx.executeSql(sql))),
        { readOnly: true },
      );
      await expect(together).rejects.toMatchObject({ code: "42703" });
      expect((await db.transaction((tx) => tx.executeSql("SELECT 1 AS one"), { readOnly: true })).rows).toEqual([
        { one: 1 },
      ]);
    }
  });

  test("tells of several statements that fail what the first of them failed of, whoever is heard first", async () => {
    // The first failure decides whether a transaction is tried again.
    const deep = async (depth: number, ask: () => Promise<unknown>): Promise<unknown> =>
      depth === 0 ? await ask() : await deep(depth - 1, ask);
    const failing = database.db.transaction(
      (tx) => Promise.all([deep(5, () => tx.executeSql("SELECT * FROM no_such_table")), tx.executeSql("SELECT 2")]),
      { readOnly: true },
    );
    await expect(failing).rejects.toMatchObject({ code: "42P01" });
  });

  test("takes no statement of a transaction that has ended, which would be another's", async () => {
    const { db } = database;
    const ended = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    const failing = db.transaction(
      (tx) => {
        late = ended.promise.then(() => tx.executeSql("SELECT no_such_column"));
        return Promise.all([tx.executeSql("SELECT 1 / 0"), late]);
      },
      { readOnly: true },
    );
    await expect(failing).rejects.toMatchObject({ code: "22012" });
    const others = Array.from({ length: 3 }, () =>
      db.transaction(async (tx) => {
        ended.resolve();
        await late?.catch(() => undefined);
        return (await tx.executeSql("SELECT 1 AS one")).rows;
      }),
    );
    expect(await Promise.all(others)).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
    await expect(late).rejects.toThrow(/ended|closed/i);
  });

  test("that does not know what was prepared on it answers all the same, in a transaction too", async () => {
    const answer = (sql: SqlExecutor) => sql.executeSql("SELECT $1::int AS one", [1], { prepare: true });
    const space = { schema: schemaName("nobody"), role: roleName((await whoAmI(database.db)) ?? "") };
    const both = async () => {
      expect((await answer(database.db)).rows).toEqual([{ one: 1 }]);
      expect(await withAgentTransaction(database.db, space, async (tx) => (await answer(tx)).rows)).toEqual([
        { one: 1 },
      ]);
    };
    // A statement is prepared when it runs for the second time.
    await both();
    await both();
    // Simulates a pooler, behind which the next transaction gets another connection.
    await database.db.executeSql("DEALLOCATE ALL");
    await both();
    await database.db.executeSql("DEALLOCATE ALL");
    await both();
  });

  test("that does not know what was prepared on it answers a transaction that nobody begins again", async () => {
    const own = await openTestDatabase();
    try {
      const answer = () => own.db.transaction((tx) => tx.executeSql("SELECT $1::int AS one", [1], { prepare: true }));
      for (let time = 0; time < 2; time++) expect((await answer()).rows).toEqual([{ one: 1 }]);
      // Simulates a pooler that no setting names.
      await own.db.executeSql("DEALLOCATE ALL");
      expect((await answer()).rows).toEqual([{ one: 1 }]);
    } finally {
      await own.drop();
    }
  });

  test("that does not know what was prepared is found out by several at once, and each answers", async () => {
    const own = await openTestDatabase();
    try {
      const three = <T>(ask: () => Promise<T>) => Promise.all([ask(), ask(), ask()]);
      const answer = () => own.db.executeSql("SELECT $1::int AS one", [1], { prepare: true });
      for (let time = 0; time < 2; time++) await three(answer);
      await three(() => own.db.executeSql("DEALLOCATE ALL"));
      for (const { rows } of await three(answer)) expect(rows).toEqual([{ one: 1 }]);
    } finally {
      await own.drop();
    }
  });

  const moments = ["between two statements", "during a statement", "during the last statement"];
  const options = needsPostgres("the embedded database has no backend that could end");
  test.each(moments)("that ends %s fails its transaction, not the process", options, async (when) => {
    const { db } = database;
    const lost = db.transaction(async (tx) => {
      const { rows } = await tx.executeSql<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      const last = when === "during the last statement" ? ({ last: true } as const) : {};
      const waiting =
        when === "between two statements" ? Promise.resolve() : tx.executeSql("SELECT pg_sleep(30)", [], last);
      // The rejection is handled below; until then no code awaits the promise.
      waiting.catch(() => undefined);
      await db.executeSql("SELECT pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
      await waiting;
      for (;;) await tx.executeSql("SELECT 1");
    });
    await expect(lost).rejects.toMatchObject({ code: "database_unavailable" });
    expect((await db.executeSql("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });
});

test("listening that cannot begin is given up, and nothing goes on trying", async () => {
  const db = openPostgres({
    connectionString: "postgres://nobody@127.0.0.1:1/none",
    maxConnections: 1,
    onIdleError: () => undefined,
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await expect(
      db.listen?.(
        "channel",
        () => undefined,
        () => undefined,
      ),
    ).rejects.toMatchObject({ code: "ECONNREFUSED" });
    // Waits for the socket's last events.
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
    await db.close();
  }
});

test("a prepared statement's name says what it is, so that no process takes another's for its own", () => {
  const names = ["SELECT $1::int", "SELECT $1::int + 1"].map(statementName);
  expect(new Set(names).size).toBe(2);
  expect(statementName("SELECT $1::int")).toBe(names[0]);
  // Postgres cuts off longer names.
  for (const name of names) expect(name.length).toBeLessThan(64);
});
