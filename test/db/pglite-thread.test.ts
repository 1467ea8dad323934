import { expect, test } from "vitest";
import { openPglite } from "../../src/db/pglite.ts";
import { encodeVectors } from "../../src/db/vector-codec.ts";

test("a statement of the embedded database leaves the event loop to others while it runs", async () => {
  const db = await openPglite();
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  const statement = db.executeSql("SELECT count(*) FROM generate_series(1, $1::int)", [500_000]);
  setImmediate(count);
  await statement;
  running = false;
  await db.close();
  expect(turns).toBeGreaterThan(10);
});

test("statements that are not awaited keep their order, also with the transaction that they are in", async () => {
  const db = await openPglite();
  const inTransaction = db.transaction(async (tx) => {
    const [, , read] = await Promise.all([
      tx.executeSql("CREATE TEMP TABLE seen (n int)"),
      tx.executeSql("INSERT INTO seen VALUES (1), (2)"),
      tx.executeSql<{ n: number }>("SELECT n FROM seen ORDER BY n"),
    ]);
    return read.rows;
  });
  const after = db.executeSql<{ n: number }>("SELECT count(*)::int AS n FROM seen");
  expect(await inTransaction).toEqual([{ n: 1 }, { n: 2 }]);
  expect((await after).rows).toEqual([{ n: 2 }]);
  await db.close();
});

test("the first value in binary, whose type is looked up, is not passed by what was sent behind it", async () => {
  const db = await openPglite();
  await db.executeSql("CREATE EXTENSION IF NOT EXISTS vector");
  await db.executeSql("CREATE TABLE t (v vector(2))");
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const before = db.transaction(() => isOver);
  const counted = db.transaction(async (tx) => {
    const insert = tx.executeSql("INSERT INTO t SELECT unnest($1::vector[])", [encodeVectors([Float32Array.of(1, 2)])]);
    const [, { rows }] = await Promise.all([insert, tx.executeSql("SELECT count(*)::int AS count FROM t")]);
    return rows;
  });
  // Waits until the statements queue behind the transaction before them.
  await new Promise((done) => setImmediate(done));
  end();
  await before;
  expect(await counted).toEqual([{ count: 1 }]);
  await db.close();
});

test("a transaction whose setup fails says so to what is asked of it, and leaves the session usable", async () => {
  const db = await openPglite();
  const failing = db.transaction((tx) => tx.executeSql("SELECT 1"), { role: "nobody_has_this_role" });
  await expect(failing).rejects.toMatchObject({ code: "22023" });
  const silent = db.transaction(async () => undefined, { role: "nobody_has_this_role" });
  await expect(silent).rejects.toMatchObject({ code: "22023" });
  expect((await db.executeSql("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  await db.close();
});

test("an error has Postgres's own fields, and not the statement with its values", async () => {
  const db = await openPglite();
  await db.executeSql("CREATE TABLE t (x text PRIMARY KEY)");
  await db.executeSql("INSERT INTO t VALUES ($1)", ["once"]);
  const error = await db.executeSql("INSERT INTO t VALUES ($1)", ["once"]).catch((refused: unknown) => refused);
  expect(error).toMatchObject({ code: "23505", severity: "ERROR", constraint: "t_pkey" });
  expect(error).not.toHaveProperty("query");
  expect(error).not.toHaveProperty("params");
  await db.close();
});

test("a database that cannot be opened, or was closed, refuses at once", async () => {
  await expect(openPglite(undefined, import.meta.filename)).rejects.toThrow();
  const db = await openPglite();
  await db.close();
  await db.close();
  await expect(db.executeSql("SELECT 1")).rejects.toMatchObject({ code: "database_unavailable" });
});
