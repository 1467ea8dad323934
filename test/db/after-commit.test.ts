import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";

describe("what is to happen after a commit", needsPostgres("the embedded database has no use for it"), () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  test("happens once the transaction has committed, whose rows others then read", async () => {
    const { db } = database;
    await db.executeSql("CREATE TABLE kept (id integer)");
    const seen: Promise<number>[] = [];
    const count = async () => (await db.executeSql("SELECT FROM kept")).rows.length;
    await db.transaction(async (tx) => {
      db.afterCommit?.(() => void seen.push(count()));
      await tx.executeSql("INSERT INTO kept VALUES (1)");
      expect(seen).toEqual([]);
    });
    expect(await Promise.all(seen)).toEqual([1]);
  });

  test("does not happen when the transaction is rolled back", async () => {
    const { db } = database;
    let happened = 0;
    const failing = db.transaction(async (tx) => {
      db.afterCommit?.(() => void happened++);
      await tx.executeSql("SELECT 1");
      throw new Error("changed its mind");
    });
    await expect(failing).rejects.toThrow("changed its mind");
    const refused = db.transaction(async (tx) => {
      db.afterCommit?.(() => void happened++);
      await tx.executeSql("SELECT 1 / 0").catch(() => undefined);
    });
    await expect(refused).rejects.toThrow();
    expect(happened).toBe(0);
  });

  test("happens at once outside of a transaction, and after one has ended", async () => {
    const { db } = database;
    let happened = 0;
    db.afterCommit?.(() => void happened++);
    expect(happened).toBe(1);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let later: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      await tx.executeSql("SELECT 1");
      later = ended.then(() => db.afterCommit?.(() => void happened++));
    });
    end();
    await later;
    expect(happened).toBe(2);
  });
});
