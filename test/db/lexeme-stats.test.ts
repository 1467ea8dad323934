import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";
import { needsPostgres } from "../support/needs.ts";
import { until } from "../support/until.ts";

let database: TestDatabase;
let agent: KeywordAgent;
let made = 0;
beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  agent = await createKeywordAgent(database.db, `stats_${made++}`);
});
afterAll(() => database.drop());

const counts = async () =>
  Object.fromEntries(
    (await agent.query<{ lexeme: string; df: number }>("SELECT lexeme, df FROM $schema.lexemes")).map((row) => [
      row.lexeme,
      row.df,
    ]),
  );

describe("refreshLexemeStats, as the agent's role", () => {
  test("counts chunks per lexeme, chunks, and their total length", async () => {
    await agent.add(["cats and cats", "a cat, a dog", "foo-bar v2.3"]);
    await agent.count();
    expect(await counts()).toEqual({ cat: 2, dog: 1, foo: 1, bar: 1, foobar: 1, v2: 1, "3": 1, "v2.3": 1, "2.3": 1 });
    const [totals] = await agent.query<{ chunks: number; length: string; at: Date }>(
      "SELECT stats_chunk_count AS chunks, stats_total_length AS length, stats_at AS at FROM $schema.generations",
    );
    expect(totals).toEqual({ chunks: 3, length: "11", at: new Date("2026-11-21T12:00:00Z") });
  });

  test("follows what was added and removed, and writes only what changed", async () => {
    const [gone] = await agent.add(["cat dog", "cat", "bird"]);
    await agent.count();
    const versions = () => agent.query("SELECT lexeme, xmin::text FROM $schema.lexemes WHERE lexeme = 'bird'");
    const before = await versions();
    await agent.remove([gone ?? ""]);
    await agent.add(["fish"]);
    await agent.count();
    expect(await counts()).toEqual({ cat: 1, bird: 1, fish: 1 });
    expect(await versions()).toEqual(before);
  });

  test("leaves another generation's counts alone and empties with the index", async () => {
    await agent.query("INSERT INTO $schema.lexemes VALUES (2, 'other', 5)");
    const ids = await agent.add(["cat"]);
    await agent.count();
    await agent.remove(ids);
    await agent.count();
    expect(await counts()).toEqual({ other: 5 });
  });

  test("counts the same whether chunks are packed, new, or partly deleted since", async () => {
    const count = (words: string, times: number) => Array.from({ length: times }, () => words);
    const [rare, ...ids] = await agent.add([
      ...count("cat quokka", 1),
      ...count("cat dog", 150),
      ...count("cat bird", 150),
    ]);
    expect(await agent.pack()).toBe(1);
    await agent.add([...count("cat fish", 119), ...count("fish otter", 1)]);
    expect(await agent.pack()).toBe(1);
    await agent.add(count("fish heron", 5));
    await agent.count();
    const all = { quokka: 1, cat: 420, dog: 150, bird: 150, fish: 125, otter: 1, heron: 5 };
    expect(await counts()).toEqual(all);
    await agent.remove([rare ?? "", ...ids.slice(0, 100)]);
    await agent.count();
    const { quokka, ...left } = all;
    expect(await counts()).toEqual({ ...left, cat: 319, dog: 50 });
  });

  test("reads no keyword vector of a segment that is whole", async () => {
    await agent.add([...Array.from({ length: 120 }, () => "cat dog")]);
    await agent.pack();
    await agent.query("UPDATE $schema.chunks_1 SET keywords = ''");
    await agent.count();
    expect(await counts()).toEqual({ cat: 120, dog: 120 });
  });
});

test(
  "writers of an agent do not wait while the chunks of its languages are counted",
  needsPostgres("one session waits for nobody"),
  async () => {
    const name = `stats_${made++}`;
    const mixed = await createKeywordAgent(database.db, name, "auto");
    const space = { schema: schemaName(name), role: roleName(name) };
    await mixed.add(["The first note is about a harbour with many boats."]);
    await mixed.count();
    await mixed.add(["Another note, about the boats of the harbour in winter."]);
    let counting: Promise<void> | undefined;
    await withAgentTransaction(database.db, space, async (tx) => {
      await tx.executeSql(`SELECT FROM ${space.schema}.languages FOR UPDATE`);
      counting = mixed.count();
      await until(async () => (await waiting()) === 1);
      // Every write updates this row too. If the counting held the row, this update would wait for
      // the counting, which itself waits for this transaction.
      await mixed.query("SET LOCAL lock_timeout = '20s'; UPDATE $schema.generations SET changes = changes + 1");
    });
    await counting;
    expect(await mixed.query("SELECT chunks::int FROM $schema.languages WHERE chunks > 0")).toEqual([{ chunks: 2 }]);
  },
);

async function waiting(): Promise<number | undefined> {
  const { rows } = await database.db.executeSql<{ n: number }>(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows[0]?.n;
}
