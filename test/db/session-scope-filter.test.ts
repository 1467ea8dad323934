import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { vectorCandidates } from "../../src/db/agent/candidates/vector-search.ts";
import { narrowed, type SearchFilter } from "../../src/db/agent/chunks/search-filter.ts";
import { createGenerationTables, vectorTable } from "../../src/db/agent/schema/generation-tables.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { SOURCE_NUMBER } from "../../src/db/agent/schema/source-number.ts";
import { createSegmentCache } from "../../src/db/agent/segments/segments.ts";
import { encodeVector } from "../../src/db/vector-codec.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";

const NAME = "agent_scope_filter";
const MANY = 1500;
const bob: SearchFilter = { believed: { visibleTo: { user: "bob" } } };

/**
 * In the small index of a test few chunks pass a filter, and each of them is checked. These tests
 * cover the statements for a large index.
 */
describe("conversations that a reader may see, of an index in which all look alike", () => {
  let database: TestDatabase;
  let agent: KeywordAgent;
  let own: string[];

  beforeAll(async () => {
    database = await openTestDatabase();
    agent = await createKeywordAgent(database.db, NAME);
    await agent.query(
      `INSERT INTO $schema.sessions (key, started_at, last_message_at, message_count, bytes, last_seq, last_line, removed,
         indexed_seq, unindexed_bytes, next_seq, created_at, updated_at, scope_user)
       SELECT u, now(), now(), 0, 0, 0, 0, 0, 0, 0, 0, now(), now(), u FROM unnest(ARRAY['alice', 'bob']) AS u`,
    );
    const ids = await agent.add(Array.from({ length: MANY }, (_, n) => `orchid orchid in pot ${n}`));
    own = [...ids.filter((_, n) => n % 500 === 499), ...(await agent.add(["a late orchid of bob"]))];
    await agent.query(
      `UPDATE $schema.chunks_1 SET source = $2, file_id = NULL, first_message = 1, last_message = 1,
              session_id = (SELECT s.id FROM $schema.sessions s WHERE s.key = CASE WHEN chunks_1.id = ANY($1::bigint[]) THEN 'bob' ELSE 'alice' END)`,
      [own, SOURCE_NUMBER.sessions],
    );
  });
  afterAll(() => database.drop());

  const found = async (options: object = {}) =>
    (await agent.find("orchid", { limit: 10, filter: bob, ...options })).map(({ chunkId }) => chunkId).sort();

  test("the keyword arm finds them alone, by a scan, by keyword vectors and by posting lists", async () => {
    expect(await found()).toEqual([...own].sort());
    await agent.count();
    expect(await found()).toEqual([...own].sort());
    expect(await agent.pack()).toBeGreaterThan(0);
    expect(await found({ cache: createSegmentCache(1e6) })).toEqual([...own].sort());
    expect(await found({ cache: createSegmentCache(1e6), filter: { believed: { visibleTo: {} } } })).toEqual([]);
    expect(await found({ cache: createSegmentCache(1e6), filter: undefined })).toHaveLength(10);
  });

  test("so does the vector arm, and both where the few that pass are looked up first", async () => {
    const table = { schema: schemaName(NAME), generationId: 2, dimensions: 3, halfVectors: false };
    await createGenerationTables(database.db, table.schema, roleName(NAME), {
      id: 2,
      dimensions: 3,
      halfVectors: false,
    });
    await agent.query(`INSERT INTO $schema.chunks_2 OVERRIDING SYSTEM VALUE SELECT * FROM $schema.chunks_1`);
    await agent.query(
      `INSERT INTO $schema.vectors_2 (chunk_id, source, embedding)
       SELECT id, source, CASE WHEN id = ANY($1::bigint[]) THEN '[1,1,0]' ELSE '[1,0,0]' END::vector FROM $schema.chunks_2`,
      [own],
    );
    const sources = [SOURCE_NUMBER.sessions];
    const query = { vector: encodeVector(new Float32Array([1, 0, 0])), limit: 10, sources };
    const near = async (filter: SearchFilter) =>
      (
        await vectorCandidates(database.db, vectorTable(table.schema, { id: 2, halfVectors: false }, 3), {
          ...query,
          filter,
        })
      )
        .map(({ chunkId }) => chunkId)
        .sort();
    expect(await near(bob)).toEqual([...own].sort());
    const few = await narrowed(database.db, { ...table, chunkCount: MANY }, bob, sources);
    expect([...(few.chunkIds ?? [])].sort()).toEqual([...own].sort());
    expect(await near(few)).toEqual([...own].sort());
    expect(await found({ filter: few })).toEqual([...own].sort());
    const later = { from: "2999-01-01", fromAt: new Date("2999-01-01T00:00:00Z") };
    const dated = await narrowed(database.db, { ...table, chunkCount: MANY }, { ...bob, days: [later] }, sources);
    expect(dated.chunkIds).toEqual([]);
  });
});
