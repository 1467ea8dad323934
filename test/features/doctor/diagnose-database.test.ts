import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Database, SqlExecutor } from "../../../src/db/database.ts";
import { loadAgentMigrations } from "../../../src/db/migrate/agent.ts";
import { openPglite } from "../../../src/db/pglite.ts";
import { prepareDatabase } from "../../../src/db/prepare-database.ts";
import { diagnoseDatabase } from "../../../src/features/doctor/diagnose-database.ts";
import type { Finding } from "../../../src/features/doctor/finding.ts";
import { needsPostgres } from "../../support/needs.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const migrations = loadAgentMigrations();

async function diagnose(sql: Database, kind: "postgres" | "pglite" = "postgres", now = new Date()) {
  const findings = await diagnoseDatabase(sql, { kind, migrations, now });
  return Object.fromEntries(findings.map((finding) => [finding.check, finding])) as Record<Finding["check"], Finding>;
}

describe("a database that is served", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    await app.put("a.md", "A note.");
    await app.rested();
  });
  afterAll(() => app.drop());

  test("nothing is wrong with it", async () => {
    const { pgvector, ...found } = await diagnose(app.db, app.db.kind);
    expect(Object.values(found).filter(({ state }) => state !== "ok")).toEqual([]);
    expect(Object.keys(found).sort()).toEqual(
      app.db.kind === "postgres"
        ? ["clock", ...(inject("onCluster") ? ["cluster"] : []), "database", "login", "migrations", "queue"]
        : ["database", "migrations", "queue"],
    );
    expect(pgvector.state).not.toBe("failed");
  });

  test("a clock that is off is told with its direction", async () => {
    const { clock } = await diagnose(app.db, "postgres", new Date(Date.now() - 60_000));
    expect(clock).toMatchObject({ state: "warning", message: expect.stringMatching(/6\d s ahead of/) });
  });

  test("an agent's role that may log in, and one that is gone, are found", async () => {
    const { rows } = await app.db.executeSql<{ role: string }>("SELECT role_name AS role FROM recollect.agents");
    const [{ role } = { role: "" }] = rows;
    await app.db.executeSql(`ALTER ROLE ${role} LOGIN`);
    expect((await diagnose(app.db)).login).toMatchObject({
      state: "warning",
      message: expect.stringMatching(/^1 of the agents' roles/),
    });
    await app.db.executeSql(`ALTER ROLE ${role} NOLOGIN`);
    await app.db.executeSql(`ALTER ROLE ${role} RENAME TO ${role}_gone`);
    expect((await diagnose(app.db)).login).toMatchObject({
      state: "failed",
      message: expect.stringContaining("1 agent without a role"),
    });
    await app.db.executeSql(`ALTER ROLE ${role}_gone RENAME TO ${role}`);
  });

  test("pending and unknown migrations", async () => {
    await app.db.executeSql("UPDATE recollect.agents SET schema_version = schema_version - 1");
    expect((await diagnose(app.db)).migrations).toMatchObject({
      state: "warning",
      message: "1 agent still to be migrated.",
    });
    await app.db.executeSql("UPDATE recollect.agents SET schema_version = schema_version + 1");
    await app.db.executeSql("INSERT INTO recollect.control_migrations VALUES ('of-tomorrow', now())");
    expect((await diagnose(app.db)).migrations).toMatchObject({
      state: "failed",
      message: expect.stringContaining("newer"),
    });
    await app.db.executeSql("DELETE FROM recollect.control_migrations WHERE hash = 'of-tomorrow'");
  });

  test(
    "a full disk, which only a write finds; the trial leaves nothing behind",
    needsPostgres("it keeps room free"),
    async () => {
      expect((await diagnose(app.db)).database.state).toBe("ok");
      const { rows } = await app.db.executeSql("SELECT FROM pg_class WHERE relname = 'recollect_trial'");
      expect(rows).toEqual([]);
      const full = Object.assign(new Error("could not extend file"), { code: "53100" });
      const transaction: Database["transaction"] = (fn) =>
        app.db.transaction((tx) => fn({ ...tx, executeSql: () => Promise.reject(full) }));
      expect((await diagnose({ ...app.db, transaction })).database).toMatchObject({
        state: "failed",
        message: expect.stringMatching(/takes no writes: its disk is full/),
      });
    },
  );

  test("a worker that has stopped is missed, unless the database is embedded", async () => {
    const late = `
      DELETE FROM recollect_jobs.job WHERE name <> 'schedule' OR state <> 'created';
      UPDATE recollect_jobs.job SET start_after = now() - interval '10 minutes'`;
    // Runs in a transaction, so that this app's worker does not take the due job.
    const undo = new Error("undo");
    const inPast = app.db.transaction(async (tx) => {
      await tx.executeSql(late);
      const { queue } = await diagnose({ ...app.db, ...tx });
      expect(queue).toMatchObject({
        state: "failed",
        message: expect.stringMatching(/^No worker .* waited 10 minutes for one/),
      });
      expect((await diagnose({ ...app.db, ...tx }, "pglite")).queue.state).toBe("ok");
      await tx.executeSql("DELETE FROM recollect_jobs.job");
      expect((await diagnose({ ...app.db, ...tx })).queue.message).toMatch(/^No worker has taken a job yet/);
      throw undo;
    });
    await expect(inPast).rejects.toBe(undo);
  });
});

describe("a database that is not ready", () => {
  test("agents without the schema that says whose they are fail the doctor, and a start refuses them", async () => {
    const db = await openPglite(undefined, null);
    await db.executeSql("CREATE SCHEMA agent_portal");
    expect((await diagnose(db, "pglite")).migrations.state).toBe("ok");
    for (const table of ["generations", "facts"]) await db.executeSql(`CREATE TABLE agent_portal.${table} (id int)`);
    const { migrations: found } = await diagnose(db, "pglite");
    expect(found).toMatchObject({
      state: "failed",
      message: expect.stringMatching(/^The database has the schemas of 1 agent,/),
    });
    await expect(prepareDatabase(db, new Date(), () => undefined)).rejects.toMatchObject({
      code: "database_unsupported",
      message: expect.stringContaining("Restore the whole database"),
    });
    await db.close();
  });

  test("without pgvector on the server", async () => {
    const pglite = await PGlite.create();
    // The checks only run statements, except on a cluster.
    const bare: SqlExecutor = {
      executeSql: async <R>(text: string, values?: readonly unknown[]) => ({
        rows: (await pglite.query<R>(text, values as unknown[])).rows,
      }),
    };
    const { pgvector, migrations: pending, login } = await diagnose(bare as Database);
    expect(pgvector).toMatchObject({ state: "failed", message: expect.stringContaining("not installed") });
    expect(pgvector.remedy).toContain("pgvector/pgvector:pg17");
    expect(pending.message).toContain("empty");
    expect(login).toMatchObject({ state: "warning", message: expect.stringContaining("superuser") });
    await pglite.close();
  });

  describe("with pgvector", () => {
    let db: Database;
    beforeAll(async () => {
      db = await openPglite(undefined, null);
    });
    afterAll(() => db.close());

    test("that the login may enable, and one that it may not; and without CREATEROLE", async () => {
      expect((await diagnose(db)).pgvector).toMatchObject({
        state: "ok",
        message: expect.stringContaining("first start enables it"),
      });
      await db.executeSql("CREATE ROLE weak LOGIN; SET ROLE weak");
      const { pgvector, login } = await diagnose(db);
      expect(pgvector).toMatchObject({ state: "failed", message: expect.stringContaining("not enabled") });
      expect(login).toMatchObject({ state: "failed", remedy: "As a superuser run: ALTER ROLE weak CREATEROLE;" });
      await db.executeSql("RESET ROLE; ALTER ROLE weak CREATEROLE; SET ROLE weak");
      expect((await diagnose(db)).login.remedy).toContain("GRANT CREATE ON DATABASE");
      await db.executeSql("RESET ROLE");
    });

    test("too old, flawed, and hidden", async () => {
      await db.executeSql("CREATE EXTENSION vector");
      const at = async (version: string) => {
        await db.executeSql(`UPDATE pg_extension SET extversion = '${version}' WHERE extname = 'vector'`);
        return (await diagnose(db)).pgvector;
      };
      expect(await at("0.7.4")).toMatchObject({
        state: "failed",
        remedy: expect.stringContaining("ALTER EXTENSION vector UPDATE"),
      });
      expect(await at("0.8.1")).toMatchObject({ state: "warning", message: expect.stringContaining("CVE-2026-3172") });
      expect(await at("0.8.4")).toMatchObject({ state: "ok" });
      // As if the server's image had been replaced by one without the library.
      const source = (from: string, to: string) =>
        db.executeSql(`UPDATE pg_proc SET prosrc = '${to}' WHERE proname = 'cosine_distance' AND prosrc = '${from}'`);
      await source("cosine_distance", "gone");
      expect(await at("0.8.4")).toMatchObject({
        state: "failed",
        message: expect.stringContaining("cannot compare vectors"),
      });
      await source("gone", "cosine_distance");
      await db.executeSql("CREATE SCHEMA extensions; ALTER EXTENSION vector SET SCHEMA extensions");
      expect(await at("0.8.4")).toMatchObject({
        state: "failed",
        remedy: expect.stringContaining("SET SCHEMA public"),
      });
    });
  });
});
