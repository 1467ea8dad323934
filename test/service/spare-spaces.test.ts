import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentMigration, loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { SQLSTATE } from "../../src/db/pg-error.ts";
import { restoreRoles } from "../../src/service/agent/recreate-roles.ts";
import { needsPostgres } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const known = loadAgentMigrations();
const next: AgentMigration = {
  version: known.length + 1,
  name: "next",
  breaking: false,
  statements: ["ALTER TABLE :agent_schema.files ADD COLUMN IF NOT EXISTS note text"],
};
/** Rows of agents that exist and have no content. There is one spare schema for each 25 agents. */
const OTHERS = 400;
const SPARES = OTHERS / 25;

describe("schemas that are made ahead", needsPostgres("the embedded database makes none"), () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    await app.put("a.md", "The first", "first");
    await app.db.executeSql(
      `INSERT INTO recollect.agents (tenant_id, id, schema_name, role_name, schema_version, status, created_at)
       SELECT tenant_id, 'other-' || i, 'other_' || i, 'other_' || i, 0, 'creating', now()
         FROM recollect.agents, generate_series(1, ${OTHERS}) AS i WHERE id = 'first'`,
    );
    await app.db.executeSql("ANALYZE recollect.agents");
    await app.put("a.md", "The second finds none yet", "second");
    await until(async () => (await spares()).length === SPARES);
  });
  afterAll(() => app.drop());

  const namesOf = async (sql: string, values: unknown[] = []) =>
    (await app.db.executeSql<{ name: string }>(sql, values)).rows.map(({ name }) => name);
  const spares = () => namesOf("SELECT schema_name AS name FROM recollect.spare_spaces ORDER BY 1");
  const schemaOf = async (agent: string) =>
    (await namesOf("SELECT schema_name AS name FROM recollect.agents WHERE id = $1", [agent]))[0] ?? "";
  /**
   * Returns the memberships of these roles only, because other tests use other databases of the
   * server, which have memberships too.
   */
  const membershipsOf = (roles: string[]) =>
    namesOf(
      `SELECT roleid::text || ' ' || member::text || ' ' || grantor::text AS name FROM pg_auth_members
        WHERE roleid IN (SELECT oid FROM pg_roles WHERE rolname = ANY($1)) ORDER BY 1`,
      [roles],
    );

  test("a new agent takes one: no role is made, no membership added, and it is isolated as any", async () => {
    const before = await spares();
    const members = await membershipsOf(before);
    await app.put("a.md", "A note of the third", "third");
    const schema = await schemaOf("third");
    expect(before).toContain(schema);
    expect(await spares()).not.toContain(schema);
    expect(members.length).toBeGreaterThanOrEqual(before.length);
    expect(await membershipsOf(before)).toEqual(members);
    expect((await app.search("note", {}, "third")).results).toHaveLength(1);
    const asThird = (sql: string) => app.db.transaction((tx) => tx.executeSql(sql), { role: schema });
    const [spare = ""] = await spares();
    for (const sql of [
      `SELECT * FROM ${spare}.files`,
      `SELECT * FROM ${await schemaOf("first")}.files`,
      "SELECT * FROM recollect.spare_spaces",
      `CREATE TABLE ${schema}.mine (id bigint)`,
    ])
      await expect(asThird(sql)).rejects.toMatchObject({ code: SQLSTATE.insufficientPrivilege });
  });

  test("agents made at once take one each", async () => {
    const agents = Array.from({ length: 6 }, (_, i) => `at-once-${i}`);
    const answers = await Promise.all(agents.map((agent) => app.put("a.md", `A note of ${agent}`, agent)));
    expect(answers.map(({ status }) => status)).toEqual(agents.map(() => 200));
    expect(new Set(await Promise.all(agents.map(schemaOf))).size).toBe(agents.length);
  });

  test("they are made anew when half of them are taken", async () => {
    for (let i = 0; i < SPARES; i++) await app.put("a.md", "A note", `taking-${i}`);
    await until(async () => (await spares()).length >= SPARES / 2);
    await app.rested();
    const names = await spares();
    expect(
      await namesOf("SELECT nspname::text AS name FROM pg_namespace WHERE nspname = ANY($1)", [names]),
    ).toHaveLength(names.length);
    // Autovacuum may count the agents of this test meanwhile, and so allow one more.
    const [most = "0"] = await namesOf("SELECT (count(*) / 25)::text AS name FROM recollect.agents");
    expect(names.length).toBeLessThanOrEqual(Number(most));
  });

  test("one that nobody may have after all goes back", async () => {
    const tenantId = await app.tenant("bounded");
    const key = await app.key(["tenant"], { tenantId });
    await app.call("PATCH", "/v1/tenant", { limits: { agents: 1 } }, await app.key(["admin"], { tenantId }));
    await app.call("PUT", "/v1/agents/one/files/a.md", { content: "There is room" }, key);
    await app.rested();
    const before = await spares();
    const refused = await app.call("PUT", "/v1/agents/none/files/a.md", { content: "No room" }, key);
    expect(refused.body.error.code).toBe("quota_exceeded");
    expect(await spares()).toEqual(before);
  });

  test("a newer binary brings one to its version; an older one leaves what is newer alone and makes its own", async () => {
    await app.rested();
    const newer = await startTestApp({ worker: false, on: app, migrations: [...known, next] });
    try {
      const before = await spares();
      await newer.put("a.md", "A note", "newer");
      const schema = await schemaOf("newer");
      expect(before).toContain(schema);
      const columns = "SELECT column_name::text AS name FROM information_schema.columns WHERE table_schema = $1";
      expect(await namesOf(`${columns} AND table_name = 'files'`, [schema])).toContain("note");
      // Waits, because a job could otherwise make spare schemas between these statements.
      await app.rested();
      await app.db.executeSql("UPDATE recollect.spare_spaces SET schema_version = $1", [next.version]);
      const left = await spares();
      await app.put("a.md", "A note", "older");
      expect(left).not.toContain(await schemaOf("older"));
      await until(async () => (await spares()).length === left.length + SPARES);
    } finally {
      await app.db.executeSql("UPDATE recollect.spare_spaces SET schema_version = $1", [known.length]);
      await newer.drop();
    }
  });

  test("an agent's erasure takes away what it took", async () => {
    await app.put("a.md", "To be erased", "erased");
    const schema = await schemaOf("erased");
    expect((await app.call("DELETE", "/v1/agents/erased")).status).toBe(200);
    expect(await namesOf("SELECT nspname::text AS name FROM pg_namespace WHERE nspname = $1", [schema])).toEqual([]);
    expect(await namesOf("SELECT rolname::text AS name FROM pg_roles WHERE rolname = $1", [schema])).toEqual([]);
    expect(await spares()).not.toContain(schema);
  });

  test("after a restore without roles theirs are made again too", async () => {
    await app.rested();
    const [spare = ""] = await spares();
    await app.db.executeSql(`DELETE FROM recollect.agents WHERE id LIKE 'other-%'`);
    await app.db.executeSql(`DROP OWNED BY ${spare}; DROP ROLE ${spare}`);
    await restoreRoles(app.db);
    await app.db.transaction((tx) => tx.executeSql(`SELECT count(*) FROM ${spare}.files`), { role: spare });
  });
});
