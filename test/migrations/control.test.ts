import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateControlSchema } from "../../src/db/migrate/control.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

describe("control schema", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase({ prepared: false });
  });
  afterAll(() => database.drop());

  test("twenty processes may install it at once, and a second run changes nothing", async () => {
    const { db } = database;
    await Promise.all(Array.from({ length: 20 }, () => prepareDatabase(db, new Date(), () => undefined)));
    const applied = async () =>
      (await db.executeSql("SELECT hash, created_at FROM recollect.control_migrations ORDER BY created_at")).rows;
    const before = await applied();
    await migrateControlSchema(db);
    expect(await applied()).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
    const { rows } = await db.executeSql("SELECT name FROM recollect.tenants");
    expect(rows).toEqual([{ name: "default" }]);
  });

  test("a database migrated by a newer Recollect is refused with a sentence", async () => {
    const { db } = database;
    await db.executeSql(
      "INSERT INTO recollect.control_migrations (hash, created_at) VALUES ('from-the-future', now())",
    );
    await expect(migrateControlSchema(db)).rejects.toMatchObject({ code: "schema_too_new" });
    await db.executeSql("DELETE FROM recollect.control_migrations WHERE hash = 'from-the-future'");
  });
});
