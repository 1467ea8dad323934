import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { planSegments } from "../../src/db/agent/segments/pack-segments.ts";
import { createSegmentCache } from "../../src/db/agent/segments/segments.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent } from "../support/keyword-agent.ts";
import { pack } from "../support/pack.ts";

describe("plans of segments", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  /** Makes an agent whose chunks each have a unique word and share one common word. */
  async function createAgent(name: string) {
    const index = { schema: schemaName(name), generationId: 1 };
    const space = { schema: index.schema, role: roleName(name) };
    const agent = await createKeywordAgent(database.db, name);
    const insert = (count: number) =>
      agent.query(
        `INSERT INTO $schema.chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
         SELECT 1, 1, 0, 1, 1, '', '', '', 2, array_to_tsvector(ARRAY['common', 'w' || n])
           FROM generate_series(1, $1::int) AS n`,
        [count],
      );
    const plan = (total?: number) =>
      withAgentTransaction(database.db, space, (tx) => planSegments(tx, index, Number.MAX_SAFE_INTEGER, total));
    return { agent, index, space, insert, plan };
  }

  test("of two jobs at once leave no chunk between them", async () => {
    const { agent, index, space, insert, plan } = await createAgent("segments_of_two");
    await insert(3000);
    const early = await plan();
    await insert(14_000);
    const late = await plan();
    expect(late).toHaveLength(2);
    for (const one of [...early, ...late]) await withAgentTransaction(database.db, space, (tx) => pack(tx, index, one));
    await agent.count();
    expect(await agent.pack()).toBe(1);
    expect(await agent.find("w9000", { cache: createSegmentCache(1e6) })).toHaveLength(1);
  });

  test("are the same when the number of chunks is known, and none of them counted", async () => {
    const { agent, insert, plan } = await createAgent("segments_known");
    await insert(3000);
    await agent.count();
    await agent.pack();
    // Few chunks are new and few are gone; then many are new; then half of the packed chunks are
    // gone.
    for (const [added, gone] of [
      [50, 10],
      [2000, 10],
      [0, 1600],
    ] as const) {
      await insert(added);
      await agent.query("DELETE FROM $schema.chunks_1 WHERE id <= $1", [gone]);
      const [counted] = await agent.query<{ total: number }>("SELECT count(*)::int AS total FROM $schema.chunks_1");
      expect(await plan(counted?.total)).toEqual(await plan());
    }
    expect(await plan()).not.toEqual([]);
  });
});
