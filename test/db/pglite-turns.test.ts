import { expect, test } from "vitest";
import { openPglite } from "../../src/db/pglite.ts";

test("a long transaction of the embedded database leaves the event loop turns between its statements", async () => {
  const db = await openPglite();
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  const statements = 20;
  let before = 0;
  await db.transaction(async (tx) => {
    await tx.executeSql("SELECT 1");
    before = turns;
    for (let i = 0; i < statements; i++)
      await tx.executeSql("SELECT count(*) FROM generate_series(1, $1::int)", [200_000]);
  });
  running = false;
  await db.close();
  expect(turns - before).toBeGreaterThanOrEqual(statements / 2);
});

test("statements that are not awaited keep their order when such a turn is due", async () => {
  const db = await openPglite();
  const { rows } = await db.transaction(async (tx) => {
    await tx.executeSql("SELECT count(*) FROM generate_series(1, $1::int)", [500_000]);
    const [, , read] = await Promise.all([
      tx.executeSql("CREATE TEMP TABLE seen (n int)"),
      tx.executeSql("INSERT INTO seen VALUES (1), (2)"),
      tx.executeSql<{ n: number }>("SELECT n FROM seen ORDER BY n"),
    ]);
    return read;
  });
  await db.close();
  expect(rows).toEqual([{ n: 1 }, { n: 2 }]);
});
