import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentMigration, loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import type { FleetStatus } from "../../src/service/admin/migrate-fleet.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const known = loadAgentMigrations();
const next = known.length + 1;

/** Returns the migrations of a newer release. */
function newer(...statements: string[]): readonly AgentMigration[] {
  return [...known, { version: next, name: "next", breaking: false, statements }];
}

const ADD_COLUMN = "ALTER TABLE :agent_schema.files ADD COLUMN IF NOT EXISTS note text";
const ADD_TO_CHUNKS = "ALTER TABLE :agent_schema.chunks_:generation_id ADD COLUMN IF NOT EXISTS note text";

describe("migrating agents", () => {
  let old: TestApp;
  beforeAll(async () => {
    old = await startTestApp({ worker: false });
  });
  afterAll(() => old.drop());

  const rowOf = async (agent: string) => {
    const { rows } = await old.db.executeSql<{ schema: string; version: number; error: string | null }>(
      "SELECT schema_name AS schema, schema_version AS version, migration_error AS error FROM recollect.agents WHERE id = $1",
      [agent],
    );
    return rows[0] ?? { schema: "", version: -1, error: null };
  };
  const hasColumn = async (agent: string, table: string) => {
    const { rows } = await old.db.executeSql(
      "SELECT 1 FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 AND column_name = 'note'",
      [(await rowOf(agent)).schema, table],
    );
    return rows.length > 0;
  };
  const fleet = async (app: TestApp) => (await app.call<FleetStatus>("GET", "/v1/fleet")).body;

  test("the first touch migrates, once, however many touch it at the same time", async () => {
    await old.put("a.md", "Touched", "touched");
    await old.put("a.md", "Resting", "resting");
    const app = await startTestApp({ worker: false, on: old, migrations: newer(ADD_COLUMN, ADD_TO_CHUNKS) });
    try {
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.search("touched", {}, "touched")));
      for (const answer of answers) expect(answer.results).toHaveLength(1);
      expect(await rowOf("touched")).toMatchObject({ version: next, error: null });
      expect([await hasColumn("touched", "files"), await hasColumn("touched", "chunks_1")]).toEqual([true, true]);
      expect((await rowOf("resting")).version).toBe(known.length);
      // The migration is not breaking, so the older process continues.
      expect((await old.search("touched", {}, "touched")).results).toHaveLength(1);
      // A new agent gets all migrations.
      await app.put("a.md", "Fresh", "fresh");
      expect([await hasColumn("fresh", "files"), (await rowOf("fresh")).version]).toEqual([true, next]);
    } finally {
      await app.drop();
    }
  });

  test("an older process refuses a schema with a breaking migration that it does not know", async () => {
    await old.put("a.md", "Broken away", "breaking");
    const breaking = [...known, { version: next, name: "next", breaking: true, statements: [ADD_COLUMN] }];
    const app = await startTestApp({ worker: false, on: old, migrations: breaking });
    try {
      expect((await app.search("broken", {}, "breaking")).results).toHaveLength(1);
    } finally {
      await app.drop();
    }
    const { status, body } = await old.call("POST", "/v1/agents/breaking/tools/memory_search", { query: "broken" });
    expect([status, body.error.code]).toEqual([503, "schema_too_new"]);
    expect((await old.put("b.md", "No", "breaking")).status).toBe(503);
    await old.call("DELETE", "/v1/agents/breaking");
  });

  test("the sweep migrates the rest; an agent that fails does not stop the others, is visible, and is retried", async () => {
    for (let i = 0; i < 8; i++) await old.put("a.md", `Agent ${i} ${"text ".repeat(i * 50)}`, `fleet-${i}`);
    const stuck = await rowOf("fleet-5");
    // The schema of this one agent has an unexpected view.
    await old.db.executeSql(`CREATE VIEW ${stuck.schema}.note AS SELECT 1 AS x`);
    const statement = "CREATE TABLE IF NOT EXISTS :agent_schema.note (id bigint PRIMARY KEY)";
    const collide = "ALTER TABLE :agent_schema.note ADD COLUMN IF NOT EXISTS y int";
    const app = await startTestApp({ worker: true, on: old, migrations: newer(statement, collide) });
    try {
      await until(async () => {
        const { behind, failed } = await fleet(app);
        return behind === 1 && failed.length === 1;
      });
      const { failed, targetVersion } = await fleet(app);
      expect(targetVersion).toBe(next);
      expect(failed[0]).toMatchObject({ agentId: "fleet-5", schemaVersion: known.length });
      expect(failed[0]?.error).toMatch(/^[0-9A-Z]{5}$/);
      const touch = () => app.call<ErrorBody>("POST", "/v1/agents/fleet-5/tools/memory_search", { query: "agent" });
      expect([(await touch()).status, (await touch()).body.error.code]).toEqual([503, "agent_migration_failed"]);
      expect((await app.search("agent", {}, "fleet-4")).results).toHaveLength(1);
      await old.db.executeSql(`DROP VIEW ${stuck.schema}.note`);
      expect((await app.call("POST", "/v1/fleet/migrate", {})).status).toBe(202);
      await until(async () => (await fleet(app)).behind === 0);
      expect((await fleet(app)).failed).toEqual([]);
      expect((await touch()).status).toBe(200);
    } finally {
      await app.drop();
    }
  });

  test("a migration that is broken stops at a canary", async () => {
    for (let i = 0; i < 6; i++) await old.put("a.md", `Canary ${i}`, `canary-${i}`);
    // The jobs of the agents are removed: each would migrate its own agent, and this test is only
    // about the sweep.
    await old.db.executeSql("DELETE FROM recollect_jobs.job WHERE name <> 'migrate-fleet'");
    const current = Math.max(...(await fleet(old)).versions.map((row) => row.schemaVersion));
    const broken = [
      ...newer(ADD_COLUMN),
      { version: current + 1, name: "broken", breaking: false, statements: ["SELECT 1 FROM no_such_table"] },
    ];
    const app = await startTestApp({ worker: true, on: old, migrations: broken });
    try {
      await until(async () => (await fleet(app)).failed.length > 0);
      await until(async () => {
        const { jobs } = await fleet(app);
        return jobs["migrate-fleet"]?.active === 0;
      });
      const { failed, current: migrated } = await fleet(app);
      // One agent fails per try. The sweeps of the tests above may be retried while this one runs.
      expect(failed.length).toBeLessThanOrEqual(3);
      expect(migrated).toBe(0);
      // A failed migration is rolled back completely: the agent is unchanged, and an older process
      // serves it.
      expect((await old.search("agent", {}, failed[0]?.agentId ?? "")).results.length).toBeGreaterThanOrEqual(0);
    } finally {
      await app.drop();
    }
  });

  test("agents that failed before are not the canaries, however small they are and however long ago it was", async () => {
    for (let i = 0; i < 4; i++) await old.put("a.md", "x", `tiny-${i}`);
    for (let i = 0; i < 3; i++) await old.put("a.md", `Large ${"text ".repeat(200)}`, `large-${i}`);
    for (let i = 0; i < 4; i++)
      await old.db.executeSql(`CREATE VIEW ${(await rowOf(`tiny-${i}`)).schema}.obstacle AS SELECT 1 AS x`);
    const long = "migration_error = '42809', migration_failed_at = '2026-01-01', migration_attempts = 1";
    await old.db.executeSql(`UPDATE recollect.agents SET ${long} WHERE id LIKE 'tiny-%'`);
    const version = Math.max(...(await fleet(old)).versions.map((row) => row.schemaVersion)) + 1;
    const fill = Array.from({ length: version - known.length - 1 }, (_, i) => ({
      version: known.length + 1 + i,
      name: "fill",
      breaking: false,
      statements: [ADD_COLUMN],
    }));
    const statements = ["ALTER TABLE IF EXISTS :agent_schema.obstacle ADD COLUMN y int"];
    const app = await startTestApp({
      worker: true,
      on: old,
      migrations: [...known, ...fill, { version, name: "obstacle", breaking: false, statements }],
    });
    try {
      await until(
        async () => (await rowOf("large-2")).version === version && (await rowOf("large-0")).version === version,
      );
      expect((await rowOf("tiny-0")).version).toBeLessThan(version);
    } finally {
      await app.drop();
      await old.db.executeSql("DELETE FROM recollect_jobs.job WHERE name = 'migrate-fleet'");
      for (let i = 0; i < 4; i++) await old.call("DELETE", `/v1/agents/tiny-${i}`);
    }
  });
});
