import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgentRole, createAgentSchema } from "../../src/db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../../src/db/agent/schema/generation-tables.ts";
import { readSearchedGeneration } from "../../src/db/agent/schema/generations.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { applyAgentMigrations, loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

const migrations = loadAgentMigrations();
/** The last schema version in which windows did not have three messages yet. */
const BEFORE = 9;

describe("an agent with data is migrated", () => {
  let database: TestDatabase;
  const name = `agent_data_${Date.now().toString(36)}`;
  const agent = { schema: schemaName(name), role: roleName(name) };
  const rows = async (text: string, values: unknown[] = []) =>
    (await database.db.executeSql(text.replaceAll("$schema", name), values)).rows;

  /**
   * Makes a file, a session of two windows, and three facts: one that holds, one that is over, one
   * that will hold.
   */
  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    await createAgentRole(db, agent);
    await createAgentSchema(db, agent, migrations.slice(0, BEFORE));
    await rows(
      `INSERT INTO $schema.generations (provider, model, dimensions, chunk_tokens, chunk_overlap, language, status, created_at)
       SELECT 'test', 'words', 3, 400, 80, 'english', status, now() FROM unnest(ARRAY['active', 'building', 'cancelled']) AS status`,
    );
    for (const id of [1, 2])
      await createGenerationTables(db, agent.schema, agent.role, { id, dimensions: 3, halfVectors: false });
    await rows(
      `INSERT INTO $schema.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
       VALUES ('a.md', 'a.md', 'A note', '', 6, 1, now(), now(), now())`,
    );
    await rows(
      `INSERT INTO $schema.sessions (key, started_at, last_message_at, message_count, bytes, last_seq, last_line, removed,
         indexed_seq, unindexed_bytes, next_generation, next_seq, created_at, updated_at)
       SELECT key, now(), now(), 7, 70, 7, 7, 0, indexed, 0, next, coalesce(next, 0) * 3, now(), now()
         FROM (VALUES ('web:1', 7, 2), ('web:2', 0, NULL)) AS s (key, indexed, next)`,
    );
    await rows(
      `INSERT INTO $schema.messages (session_id, seq, role, name, text, size_bytes, first_line, line_count, at, stored_at)
       SELECT 1, n, 'user', 'Caroline Weiss', 'message ' || n, 10, n, 1, now(), now() FROM generate_series(1, 7) AS n`,
    );
    await rows(
      `INSERT INTO $schema.facts (text, text_hash, category, importance, scope_user, scope_agent, scope_session, tags, source,
         decay_class, valid_from, valid_to, size_bytes, created_at, updated_at, confirmed_at)
       SELECT text, text, 'fact', 0.5, '', '', '', '{}', '{}', 'stable', now() - interval '1 year', now() + ends, 5, now(), now(), now()
         FROM (VALUES ('holds', NULL), ('was', interval '-1 day'), ('will be over', interval '1 day')) AS f (text, ends)`,
    );
    for (const id of [1, 2]) {
      await rows(
        `INSERT INTO $schema.chunks_${id} (file_id, session_id, fact_id, source, ordinal, start_line, end_line, first_message, last_message,
           heading, text, hash, length, keywords)
         SELECT file, session, fact, source, 0, 1, 1, first, last, '', text, text, 1, to_tsvector('english', text)
           FROM (VALUES (1, NULL, NULL, 1, NULL, NULL, 'A note'), (NULL, 1, NULL, 2, 1, 5, 'one'), (NULL, 1, NULL, 2, 5, 7, 'two'),
                        (NULL, NULL, 1, 3, NULL, NULL, 'holds'), (NULL, NULL, 2, 3, NULL, NULL, 'was'),
                        (NULL, NULL, 3, 3, NULL, NULL, 'will be over'))
             AS c (file, session, fact, source, first, last, text)`,
      );
      await rows(
        `INSERT INTO $schema.vectors_${id} (chunk_id, source, embedding) SELECT id, source, '[1,0,0]' FROM $schema.chunks_${id}`,
      );
    }
    await applyAgentMigrations(db, agent, migrations, BEFORE);
  });
  afterAll(async () => {
    await database.db.executeSql(`DROP SCHEMA ${name} CASCADE`);
    await database.db.executeSql(`DROP ROLE ${name}`);
    await database.drop();
  });

  test("windows of five messages are gone from every index with their vectors, and the session is indexed anew", async () => {
    for (const id of [1, 2]) {
      expect(await rows(`SELECT text FROM $schema.chunks_${id} WHERE session_id IS NOT NULL`)).toEqual([]);
      expect(await rows(`SELECT count(*)::int AS n FROM $schema.vectors_${id}`)).toEqual([{ n: 4 }]);
    }
    const sessions =
      "SELECT key, indexed_seq, unindexed_bytes::int, next_generation, next_seq FROM $schema.sessions ORDER BY key";
    expect(await rows(sessions)).toEqual([
      { key: "web:1", indexed_seq: 0, unindexed_bytes: 70, next_generation: null, next_seq: 0 },
      { key: "web:2", indexed_seq: 0, unindexed_bytes: 0, next_generation: null, next_seq: 0 },
    ]);
    expect(await rows("SELECT count(*)::int AS n FROM $schema.messages")).toEqual([{ n: 7 }]);
    const changes = await rows("SELECT status, changes::int FROM $schema.generations ORDER BY id");
    expect(changes).toEqual([
      { status: "active", changes: 1 },
      { status: "building", changes: 0 },
      { status: "cancelled", changes: 0 },
    ]);
  });

  test("only what is over is with the past facts, in both tables of each index", async () => {
    for (const id of [1, 2]) {
      const placed = await rows(
        `SELECT c.text, c.source, v.source AS vector FROM $schema.chunks_${id} c JOIN $schema.vectors_${id} v ON v.chunk_id = c.id ORDER BY c.id`,
      );
      expect(placed).toEqual([
        { text: "A note", source: 1, vector: 1 },
        { text: "holds", source: 3, vector: 3 },
        { text: "was", source: 4, vector: 4 },
        { text: "will be over", source: 3, vector: 3 },
      ]);
    }
  });

  test("files have the day of their paths, if the calendar has it", async () => {
    const paths = [
      ["2026/03/14.md", "2026-03-14"],
      ["20260314.md", "2026-03-14"],
      ["2026-03-01/until 2026-03-14.md", "2026-03-14"],
      ["journals/2026_03_14.md", "2026-03-14"],
      ["memory/2026-02-31.md", null],
      ["report-2026-13-45.md", null],
      ["room 1202603145.md", null],
      ["notes.md", null],
    ];
    await rows(
      `INSERT INTO $schema.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
       SELECT 'days/' || p, p, 'x', p, 1, 1, now(), now(), now() FROM unnest($1::text[]) AS p`,
      [paths.map(([path]) => path)],
    );
    await applyAgentMigrations(database.db, agent, migrations, BEFORE + 1);
    const found = await rows(
      "SELECT substr(path, 6) AS path, day::text FROM $schema.files WHERE path LIKE 'days/%' ORDER BY id",
    );
    expect(found).toEqual(paths.map(([path, day]) => ({ path, day })));
    await rows("DELETE FROM $schema.files WHERE path LIKE 'days/%'");
  });

  test("a fact that another user's fact replaced no longer names it; one that its own user replaced still does", async () => {
    const facts = [
      ["of Ann, replaced by Ann", "ann", "the fact of Ann"],
      ["of Ben, replaced by Ann", "ben", "the fact of Ann"],
      ["of Ben, replaced by nobody", "ben", null],
      ["the fact of Ann", "ann", null],
    ];
    await rows(
      `INSERT INTO $schema.facts (text, text_hash, category, importance, scope_user, scope_agent, scope_session, tags, source,
         decay_class, valid_from, valid_to, size_bytes, created_at, updated_at, confirmed_at)
       SELECT text, text, 'fact', 0.5, who, '', '', '{}', '{}', 'stable', now() - interval '1 year', now(), 5, now(), now(), now()
         FROM unnest($1::text[], $2::text[]) AS f (text, who)`,
      [facts.map(([text]) => text), facts.map(([, who]) => who)],
    );
    for (const [text, , by] of facts)
      await rows(
        `UPDATE $schema.facts f SET superseded_by = n.id FROM $schema.facts n WHERE f.text = $1 AND n.text = $2`,
        [text, by],
      );
    await applyAgentMigrations(database.db, agent, migrations, BEFORE + 1);
    const found = await rows(
      `SELECT f.text, n.text AS by FROM $schema.facts f LEFT JOIN $schema.facts n ON n.id = f.superseded_by
        WHERE f.text = ANY($1) ORDER BY f.text`,
      [facts.map(([text]) => text)],
    );
    expect(found).toEqual([
      { text: "of Ann, replaced by Ann", by: "the fact of Ann" },
      { text: "of Ben, replaced by Ann", by: null },
      { text: "of Ben, replaced by nobody", by: null },
      { text: "the fact of Ann", by: null },
    ]);
    await rows("DELETE FROM $schema.facts WHERE text = ANY($1)", [facts.map(([text]) => text)]);
  });

  test("how cosines vary is not known yet, and the steps applied again change nothing", async () => {
    const generation = await readSearchedGeneration(database.db, agent.schema);
    expect(generation).toMatchObject({ id: 1, cosineDeviation: null, cosineCount: null });
    await rows("UPDATE $schema.generations SET cosine_deviation = 0.2, cosine_count = 4 WHERE id = 1");
    await applyAgentMigrations(database.db, agent, migrations, BEFORE + 1);
    const again = await readSearchedGeneration(database.db, agent.schema);
    expect(again).toMatchObject({ cosineDeviation: 0.2, cosineCount: 4 });
    expect(await rows("SELECT source, count(*)::int AS n FROM $schema.chunks_1 GROUP BY 1 ORDER BY 1")).toEqual([
      { source: 1, n: 1 },
      { source: 3, n: 2 },
      { source: 4, n: 1 },
    ]);
  });
});
