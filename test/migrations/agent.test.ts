import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgentRole, createAgentSchema } from "../../src/db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../../src/db/agent/schema/generation-tables.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { applyAgentMigrations, loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { describeSchema } from "../support/describe-schema.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const migrations = loadAgentMigrations();
const space = (name: string) => ({ schema: schemaName(name), role: roleName(name) });

describe("agent schema", () => {
  let app: TestApp;
  const made: string[] = [];
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(async () => {
    for (const name of made) {
      await app.db.executeSql(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
      await app.db.executeSql(`DROP ROLE IF EXISTS ${name}`);
    }
    await app.drop();
  });

  test("a fresh schema is the golden one, and applying every step again leaves it so", async () => {
    const name = `agent_golden_${Date.now().toString(36)}`;
    made.push(name);
    const agent = space(name);
    await createAgentRole(app.db, agent);
    await createAgentSchema(app.db, agent, migrations);
    await createGenerationTables(app.db, agent.schema, agent.role, { id: 1, dimensions: 384, halfVectors: false });
    const fresh = await describeSchema(app.db, name, name);
    await expect(fresh).toMatchFileSnapshot("agent-schema.golden.txt");
    for (const { version } of migrations) await applyAgentMigrations(app.db, agent, migrations, version - 1);
    await createAgentRole(app.db, agent);
    await createAgentSchema(app.db, agent, migrations);
    await createGenerationTables(app.db, agent.schema, agent.role, { id: 1, dimensions: 384, halfVectors: false });
    expect(await describeSchema(app.db, name, name)).toBe(fresh);
  });

  test("an index made before there were sessions is migrated to the same tables; a generation without tables is passed over", async () => {
    const name = `agent_older_${Date.now().toString(36)}`;
    made.push(name);
    const agent = space(name);
    await createAgentRole(app.db, agent);
    await createAgentSchema(app.db, agent, migrations.slice(0, 2));
    await app.db.executeSql(
      `INSERT INTO ${name}.generations (provider, model, chunk_tokens, chunk_overlap, language, status, created_at)
       SELECT 'test', 'words', 400, 80, 'english', status, now() FROM unnest(ARRAY['active', 'cancelled']) AS status`,
    );
    // The table in the form that the schema version before the migration gave it.
    await app.db.executeSql(
      `CREATE TABLE ${name}.chunks_1 (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         file_id bigint NOT NULL REFERENCES ${name}.files (id) ON DELETE CASCADE, source smallint NOT NULL, ordinal integer NOT NULL,
         start_line integer NOT NULL, end_line integer NOT NULL, heading text NOT NULL, text text NOT NULL, hash text NOT NULL,
         length integer NOT NULL, keywords tsvector NOT NULL) WITH (toast_tuple_target = 8160)`,
    );
    await app.db.executeSql(`CREATE INDEX chunks_1_keywords ON ${name}.chunks_1 USING gin (keywords)`);
    await applyAgentMigrations(app.db, agent, migrations, 2);
    // The migration sets the same options on existing tables that new tables get when they are
    // made.
    const { rows: uncounted } = await app.db.executeSql(
      `SELECT attname::text AS name FROM pg_attribute WHERE attrelid = '${name}.chunks_1'::regclass AND attstattarget = 0 ORDER BY 1`,
    );
    expect(uncounted).toEqual([{ name: "keywords" }, { name: "text" }]);
    await createGenerationTables(app.db, agent.schema, agent.role, { id: 1, dimensions: 384, halfVectors: false });
    await expect(await describeSchema(app.db, name, name)).toMatchFileSnapshot("agent-schema.golden.txt");
  });

  test("twenty first writes at once make one schema, one role and one generation", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => app.put(`notes/${i}.md`, `Note ${i}`, "crowd")),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    const { rows: agents } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'crowd'",
    );
    expect(agents).toHaveLength(1);
    const { rows } = await app.db.executeSql(`SELECT count(*)::int AS n FROM ${agents[0]?.schema}.generations`);
    expect(rows).toEqual([{ n: 1 }]);
    const { body } = await app.call<{ files: unknown[] }>("GET", "/v1/agents/crowd/files");
    expect(body.files).toHaveLength(20);
  });

  test("a creation that died half-way is resumed by the next write", async () => {
    const name = `agent_half_${Date.now().toString(36)}`;
    await app.db.executeSql(
      `INSERT INTO recollect.agents (tenant_id, id, schema_name, role_name, schema_version, status, created_at)
       SELECT id, 'half', $1, $1, 0, 'creating', now() FROM recollect.tenants`,
      [name],
    );
    await app.db.executeSql(`CREATE SCHEMA ${name}`);
    const unfinished = await app.call<{ files: unknown[] }>("GET", "/v1/agents/half/files");
    expect([unfinished.status, unfinished.body.files]).toEqual([200, []]);
    expect((await app.put("a.md", "Resumed", "half")).status).toBe(200);
    expect((await app.call("GET", "/v1/agents/half/files")).status).toBe(200);
  });
});
