import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgentRole, createAgentSchema } from "../../src/db/agent/schema/create-agent-schema.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { applyAgentMigrations, loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

const migrations = loadAgentMigrations();
/** The last version before sessions had a scope. */
const BEFORE = migrations.findIndex(({ name }) => name.includes("session-scopes"));

describe("sessions whose appends had a scope are migrated", () => {
  let database: TestDatabase;
  const name = `agent_scopes_${Date.now().toString(36)}`;
  const agent = { schema: schemaName(name), role: roleName(name) };
  const rows = async (text: string) => (await database.db.executeSql(text.replaceAll("$schema", name))).rows;

  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    await createAgentRole(db, agent);
    await createAgentSchema(db, agent, migrations.slice(0, BEFORE));
    await rows(
      `INSERT INTO $schema.sessions (key, started_at, last_message_at, message_count, bytes, last_seq, last_line, removed,
         indexed_seq, unindexed_bytes, next_seq, created_at, updated_at)
       SELECT key, now(), now(), 1, 1, 1, 1, 0, 1, 0, 0, now(), now()
         FROM unnest(ARRAY['one', 'mixed', 'parts', 'group', 'open', 'none', 'noted']) AS key`,
    );
    await rows(
      `INSERT INTO $schema.facts (text, text_hash, category, importance, scope_user, scope_agent, scope_session, tags, source,
         decay_class, valid_from, size_bytes, created_at, updated_at, confirmed_at)
       SELECT 'x', 'x', 'fact', 0.5, u, a, s, '{}',
              jsonb_strip_nulls(jsonb_build_object('kind', 'message', 'by', 'key', 'session', key, 'message', message)), 'stable', now(), 1, now(), now(), now()
         FROM (VALUES ('one', 'alice', '', '', 1), ('one', 'alice', '', '', 2), ('mixed', 'alice', '', '', 1), ('mixed', '', '', '', 2),
                      ('parts', 'alice', 'tutor', 's1', 1), ('group', 'alice', '', '', 1), ('group', 'bob', '', '', 2),
                      ('open', '', '', '', 1), ('noted', 'alice', '', '', NULL::int), ('gone', 'alice', '', '', 1))
           AS f (key, u, a, s, message)`,
    );
    await applyAgentMigrations(db, agent, migrations, BEFORE);
  });
  afterAll(async () => {
    await database.db.executeSql(`DROP SCHEMA ${name} CASCADE`);
    await database.db.executeSql(`DROP ROLE ${name}`);
    await database.drop();
  });

  test("each takes the scope of the facts captured from its messages; one of several is for itself alone", async () => {
    expect(
      await rows(
        `SELECT key, scope_user AS u, scope_agent AS a, scope_session AS s FROM $schema.sessions ORDER BY key COLLATE "C"`,
      ),
    ).toEqual([
      { key: "group", u: "", a: "", s: "group" },
      { key: "mixed", u: "alice", a: "", s: "" },
      { key: "none", u: "", a: "", s: "" },
      // This session's fact names the conversation as its source, but was not captured from an
      // append.
      { key: "noted", u: "", a: "", s: "" },
      { key: "one", u: "alice", a: "", s: "" },
      { key: "open", u: "", a: "", s: "" },
      { key: "parts", u: "alice", a: "tutor", s: "s1" },
    ]);
  });
});
