import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import {
  hasControlSchema,
  migrateControlSchema,
  pendingControlMigrations,
  requireControlSchema,
} from "../../src/db/migrate/control.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { CORE_JOBS } from "../../src/jobs/core-jobs.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { startQueue } from "../../src/queue/queue.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";

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

  test(
    "connections that have looked for the schemas before may install them at once",
    needsPostgres("the embedded database has one process"),
    async () => {
      const kinds = CORE_JOBS.map(({ settings }) => settings);
      const options = { logger: createLogger("silent"), metrics: createMetrics(), kinds, supervise: false };
      for (let round = 0; round < 4; round++) {
        const fresh = await openTestDatabase({ prepared: false });
        const open = () =>
          openPostgres({ connectionString: fresh.url ?? "", maxConnections: 1, onIdleError: () => undefined });
        const processes = Array.from({ length: 8 }, open);
        try {
          await Promise.all(processes.map((db) => hasControlSchema(db)));
          await Promise.all(processes.map((db) => prepareDatabase(db, new Date(), () => undefined)));
          const queues = await Promise.all(processes.map((db) => startQueue(db, options)));
          await Promise.all(queues.map((queue) => queue.stop()));
        } finally {
          await Promise.all(processes.map((db) => db.close()));
          await fresh.drop();
        }
      }
    },
  );

  test("a database migrated by a newer Recollect is refused with a sentence", async () => {
    const { db } = database;
    await db.executeSql(
      "INSERT INTO recollect.control_migrations (hash, created_at) VALUES ('from-the-future', now())",
    );
    await expect(migrateControlSchema(db)).rejects.toMatchObject({ code: "schema_too_new" });
    await db.executeSql("DELETE FROM recollect.control_migrations WHERE hash = 'from-the-future'");
  });

  const FOREIGN = "CREATE SCHEMA recollect; CREATE TABLE recollect.control_migrations (version int)";
  test.each([
    ["a schema of another program", FOREIGN, false],
    ["a table of another program", "CREATE SCHEMA recollect; CREATE TABLE recollect.tenants (name text)", false],
    ["a restore that stopped", "DELETE FROM recollect.control_migrations", true],
  ])("%s is refused with a sentence", async (_what, sql, isPrepared) => {
    const fresh = await openTestDatabase({ prepared: isPrepared });
    try {
      if (!isPrepared) await fresh.db.executeSql("CREATE EXTENSION IF NOT EXISTS vector");
      for (const statement of sql.split("; ")) await fresh.db.executeSql(statement);
      const refused = { code: "database_unsupported", message: expect.stringContaining("schema recollect") };
      await expect(migrateControlSchema(fresh.db)).rejects.toMatchObject(refused);
      if (sql === FOREIGN) await expect(pendingControlMigrations(fresh.db)).rejects.toMatchObject(refused);
    } finally {
      await fresh.drop();
    }
  });

  test("a command that prepares no database says what an empty, older or newer one needs", async () => {
    const fresh = await openTestDatabase({ prepared: false });
    const { db } = fresh;
    try {
      const asks = (message: RegExp, code = "config_invalid") =>
        expect(requireControlSchema(db)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
      await asks(/No Recollect has stored anything.*recollect migrate/);
      await prepareDatabase(db, new Date(), () => undefined);
      await expect(requireControlSchema(db)).resolves.toBeUndefined();
      await db.executeSql(
        "UPDATE recollect.control_migrations SET hash = 'other' WHERE created_at = (SELECT max(created_at) FROM recollect.control_migrations)",
      );
      await asks(/newer Recollect/, "schema_too_new");
      await db.executeSql("DELETE FROM recollect.control_migrations WHERE hash = 'other'");
      await asks(/lacks migrations.*recollect migrate/);
    } finally {
      await fresh.drop();
    }
  });
});
