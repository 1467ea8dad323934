import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { Scope } from "../../src/db/agent/schema/scope.ts";
import { speakersAmong } from "../../src/db/agent/sessions/speakers.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";

describe("who speaks in sessions", () => {
  const name = "agent_speakers";
  let database: TestDatabase;
  let agent: KeywordAgent;
  const among = async (...words: string[]) =>
    new Set(await speakersAmong(database.db, schemaName(name), words, undefined));
  const amongFor = async (reader: Scope, ...words: string[]) =>
    (await speakersAmong(database.db, schemaName(name), words, reader)).sort();

  beforeAll(async () => {
    database = await openTestDatabase();
    agent = await createKeywordAgent(database.db, name);
    await agent.query(
      `INSERT INTO $schema.sessions (key, started_at, last_message_at, message_count, bytes, last_seq, last_line, removed,
         indexed_seq, unindexed_bytes, next_seq, created_at, updated_at)
       VALUES ('web:1', now(), now(), 5, 50, 5, 5, 0, 0, 50, 0, now(), now())`,
    );
    await agent.query(
      `INSERT INTO $schema.messages (session_id, seq, role, name, text, size_bytes, first_line, line_count, at, stored_at)
       SELECT 1, place, 'user', name, 'Hello', 5, place, 1, now(), now()
         FROM unnest(ARRAY['Caroline', 'Ann Weiss', NULL, 'Žaneta', 'Robert''); --']) WITH ORDINALITY AS m (name, place)`,
    );
  });
  afterAll(() => database.drop());

  test("is known by the whole name or its first word, as it is spelled", async () => {
    expect(await among("Caroline", "Ann", "Žaneta", "Weiss", "caroline", "Melanie", "Hello")).toEqual(
      new Set(["Caroline", "Ann", "Žaneta"]),
    );
    expect(await among("Robert');", "%", "", "Ann Weiss")).toEqual(new Set(["Robert');"]));
  });

  test("a reader with a scope knows the speakers of the sessions that it may see", async () => {
    await agent.query(
      `INSERT INTO $schema.sessions (key, started_at, last_message_at, message_count, bytes, last_seq, last_line, removed,
         indexed_seq, unindexed_bytes, next_seq, created_at, updated_at, scope_user)
       SELECT 'scoped:' || n, now(), now(), 0, 0, 0, 0, 0, 0, 0, 0, now(), now(), CASE WHEN n = 20 THEN 'bob' ELSE 'alice' END
         FROM generate_series(1, 20) AS n`,
    );
    const scoped = await agent.query<{ id: string; user: string }>(
      `SELECT id::text AS id, scope_user AS "user" FROM $schema.sessions WHERE key LIKE 'scoped:%'`,
    );
    await agent.query(
      `INSERT INTO $schema.messages (session_id, seq, role, name, text, size_bytes, first_line, line_count, at, stored_at)
       SELECT s.id, n, 'user', CASE WHEN n % 2 = 0 THEN 'Zoe Quist' ELSE s.by END, 'Hello', 5, n, 1, now(), now()
         FROM unnest($1::bigint[], $2::text[]) AS s (id, by), generate_series(1, 30) AS n`,
      [scoped.map(({ id }) => id), scoped.map(({ user }) => user)],
    );
    const words = ["Zoe", "alice", "bob", "Caroline", "Nobody"];
    expect(await amongFor({ user: "alice" }, ...words)).toEqual(["Caroline", "Zoe", "alice"]);
    expect(await amongFor({ user: "bob" }, ...words)).toEqual(["Caroline", "Zoe", "bob"]);
    expect(await amongFor({}, ...words)).toEqual(["Caroline"]);
    expect(await among(...words)).toEqual(new Set(["Zoe", "alice", "bob", "Caroline"]));
  });

  test("nobody is asked for without words, and nobody speaks when the messages are gone", async () => {
    expect(await among()).toEqual(new Set());
    await agent.query("DELETE FROM $schema.messages WHERE seq = 1");
    expect(await among("Caroline", "Ann")).toEqual(new Set(["Ann"]));
  });
});
