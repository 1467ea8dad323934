import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keywordCandidates } from "../../src/db/agent/candidates/keyword-search.ts";
import { withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { listSegments, loadSegments, type Segment } from "../../src/db/agent/segments/load-segments.ts";
import { settledChunk } from "../../src/db/agent/segments/pack-segments.ts";
import { createSegmentCache } from "../../src/db/agent/segments/segments.ts";
import type { SqlExecutor } from "../../src/db/database.ts";
import { analyzeQuery } from "../../src/relevance/words/analyze.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type FindOptions, type KeywordAgent } from "../support/keyword-agent.ts";
import { pack } from "../support/pack.ts";

/**
 * A filter that every file passes. With a filter Postgres scores keyword vectors, by the same
 * counts as posting lists.
 */
const READ = { filter: { paths: ["*"] } };
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

/** Returns texts of common and rare words; the same seed gives the same texts. */
function texts(count: number, seed: number): string[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const words = ["segel", "segelboot", "segelbootverleih", "café", "cafe", "2026-11-21", "src/app.ts"];
  const word = () =>
    random() < 0.05 ? words[Math.floor(random() * words.length)] : `w${Math.floor(random() ** 3 * 60)}`;
  return Array.from({ length: count }, () => Array.from({ length: 3 + Math.floor(random() * 12) }, word).join(" "));
}

/** Expects posting lists and keyword vectors to give the same hits and scores. */
async function expectSame(agent: KeywordAgent, query: string, options: FindOptions = {}): Promise<number> {
  const packed = await agent.find(query, { ...options, cache: createSegmentCache(1e6) });
  const read = await agent.find(query, { ...READ, ...options });
  expect(packed.map((hit) => hit.chunkId)).toEqual(read.map((hit) => hit.chunkId));
  for (const [rank, hit] of packed.entries()) expect(hit.score).toBeCloseTo(read[rank]?.score ?? -1, 9);
  return packed.length;
}

/**
 * Returns whether a search reads posting lists. The test has emptied a chunk's keyword vector by
 * SQL, which posting lists do not notice, so only a search that reads them finds the chunk.
 */
async function readsSegments(agent: KeywordAgent, query: string): Promise<boolean> {
  const hits = await agent.find(query, { limit: 1000, cache: createSegmentCache(1e6) });
  const rows = await agent.query<{ id: string }>("SELECT id FROM $schema.chunks_1 WHERE keywords = ''::tsvector");
  return hits.some((hit) => rows.some((row) => row.id === hit.chunkId));
}

describe.each(["english", "german"])("posting lists, %s", (language) => {
  let agent: KeywordAgent;
  let ids: string[];
  beforeAll(async () => {
    agent = await createKeywordAgent(database.db, `segments_${language}`, language);
    ids = await agent.add(texts(2200, 7));
    expect(await agent.pack()).toBe(1);
    // These chunks get a separate segment: the hits of one segment decide which parts of the next
    // are skipped.
    ids.push(...(await agent.add(texts(800, 8))));
    await agent.query("UPDATE $schema.chunks_1 SET source = 2 WHERE id % 5 = 0 AND id > 2200");
    await agent.count();
    expect(await agent.pack()).toBe(1);
    expect(await agent.query("SELECT 1 FROM $schema.segments_1")).toHaveLength(2);
  });

  const query = fc
    .array(
      fc.oneof(
        fc.integer({ min: 0, max: 70 }).map((n) => `w${n}`),
        fc.constantFrom("segel", "boot", "café", "2026-11-21", "src/app.ts"),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((words) => words.join(" "));

  test("score as keyword vectors do, whatever is asked", async () => {
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom(undefined, [1], [2], [1, 2]),
        async (text, limit, sources) => {
          await expectSame(agent, text, { limit, ...(sources ? { sources } : {}) });
        },
      ),
      { numRuns: 40 },
    );
  });

  test("what is deleted is not found, what is new is", async () => {
    const gone = (await agent.find("w1 w2", { limit: 40 })).map((hit) => hit.chunkId);
    await agent.remove(gone);
    const [added] = await agent.add(["w1 w2 quokka", ...texts(100, 99)]);
    const cache = createSegmentCache(1e6);
    const hits = (await agent.find("w1 w2", { limit: 50, cache })).map((hit) => hit.chunkId);
    expect(hits.filter((id) => gone.includes(id))).toEqual([]);
    expect((await agent.find("quokka w1", { cache }))[0]?.chunkId).toBe(added);
    expect(await expectSame(agent, "w1 w2 w30", { limit: 50 })).toBe(50);
  });

  test("a filter that hardly anything passes finds it all the same", async () => {
    await agent.query(
      `INSERT INTO $schema.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
       VALUES ('notes/b.md', 'b.md', '', '', 0, 0, now(), now(), now())`,
    );
    const last = ids.at(-1);
    await agent.query(
      "UPDATE $schema.chunks_1 SET file_id = (SELECT id FROM $schema.files WHERE name = 'b.md') WHERE id = $1",
      [last],
    );
    const [text] = await agent.query<{ text: string }>("SELECT text FROM $schema.chunks_1 WHERE id = $1", [last]);
    const filter = { paths: ["notes/"] };
    expect(await expectSame(agent, `w0 w1 ${text?.text}`, { filter })).toBe(1);
  });
});

describe("segments", () => {
  let agent: KeywordAgent;
  const segments = () =>
    agent.query<{ first: string; last: string; count: number }>(
      "SELECT first_chunk AS first, last_chunk AS last, chunk_count AS count FROM $schema.segments_1 ORDER BY first_chunk",
    );
  beforeAll(async () => {
    agent = await createKeywordAgent(database.db, "segments");
    await agent.add(texts(2500, 3));
    await agent.count();
  });

  test("are read by searches once they are made", async () => {
    expect(await agent.pack()).toBe(1);
    await agent.query("UPDATE $schema.chunks_1 SET keywords = '' WHERE id = 1");
    const [first] = texts(2500, 3);
    expect(await readsSegments(agent, first ?? "")).toBe(true);
  });

  test("are read however many chunks are newer", async () => {
    await agent.query(
      `INSERT INTO $schema.chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
       SELECT 1, 1, 0, 1, 1, '', '', '', 2, array_to_tsvector(ARRAY['w3', 'newer' || n]) FROM generate_series(1, 6000) AS n`,
    );
    const [first] = texts(2500, 3);
    expect(await readsSegments(agent, first ?? "")).toBe(true);
    expect(await agent.find("newer5999", { cache: createSegmentCache(1e6) })).toHaveLength(1);
    await agent.query("DELETE FROM $schema.chunks_1 WHERE text = ''");
  });

  test("a few new chunks wait; more become a segment, several small ones are joined", async () => {
    await agent.add(texts(60, 4));
    expect(await agent.pack()).toBe(0);
    await agent.add(texts(540, 5));
    expect(await agent.pack()).toBe(1);
    expect((await segments()).map(({ count }) => count)).toEqual([2500, 600]);
    for (const count of [300, 200]) {
      await agent.add(texts(count, count));
      expect(await agent.pack()).toBe(1);
    }
    expect((await segments()).map(({ count }) => count)).toEqual([2500, 600, 300, 200]);
    await expectSame(agent, "w0 w5 w40", { limit: 30 });
    await agent.add(texts(120, 6));
    expect(await agent.pack()).toBe(1);
    expect((await segments()).map(({ count }) => count)).toEqual([2500, 1220]);
    await expectSame(agent, "w0 w5 w40", { limit: 30 });
  });

  test("one of which half is deleted is made anew", async () => {
    await agent.query("DELETE FROM $schema.chunks_1 WHERE id <= 1500");
    expect(await agent.pack()).toBe(1);
    expect((await segments()).map(({ count }) => count)).toEqual([1000, 1220]);
    expect((await segments()).map(({ first }) => first)).toEqual(["1", "2501"]);
    await expectSame(agent, "w0 w5 w40", { limit: 30 });
  });

  test("are read once, lexeme by lexeme, and of those that were added only their own lists", async () => {
    const index = { schema: schemaName("segments"), generationId: 1 };
    const space = { schema: index.schema, role: roleName("segments") };
    const cache = createSegmentCache(1e6);
    const { segments: listed } = await withAgentTransaction(database.db, space, (tx) => listSegments(tx, index));
    const [one, two] = listed as [Segment, Segment];
    const wanted = ["w3", "w7"].map((lexeme) => ({ lexeme, prefix: false }));
    /** Returns the segments whose lists are read from Postgres, once per lexeme. */
    const asks = (segments: Segment[], lexemes = wanted) =>
      withAgentTransaction(database.db, space, async (tx) => {
        const asked: unknown[] = [];
        const executeSql: SqlExecutor["executeSql"] = (statement, values, options) => {
          const [ids = []] = (values ?? []) as unknown[][];
          if (statement.includes("postings_1")) asked.push(...ids);
          return tx.executeSql(statement, values, options);
        };
        await loadSegments({ executeSql, isCluster: tx.isCluster }, index, cache, segments, lexemes);
        return asked;
      });
    expect(await asks([one])).toEqual([one.id, one.id]);
    expect(await asks([one, two])).toEqual([two.id, two.id]);
    expect(await asks([one, two])).toEqual([]);
    expect(await asks([one, two], [...wanted, { lexeme: "w9", prefix: false }])).toEqual([one.id, two.id]);
    // The cache has one entry per lexeme, whatever the number of segments.
    expect(cache.postings.size).toBe(3);
  });

  test("that are replaced while a search reads them are not half read", async () => {
    const index = { schema: schemaName("segments"), generationId: 1 };
    const space = { schema: index.schema, role: roleName("segments") };
    const cache = createSegmentCache(1e6);
    const wanted = [{ lexeme: "w3", prefix: false }];
    const { segments: listed } = await withAgentTransaction(database.db, space, (tx) => listSegments(tx, index));
    expect(listed).toHaveLength(2);
    const load = () => withAgentTransaction(database.db, space, (tx) => loadSegments(tx, index, cache, listed, wanted));
    expect(await load()).toHaveLength(2);
    cache.postings.clear();
    await agent.query("DELETE FROM $schema.segments_1 WHERE id = $1", [listed[0]?.id]);
    expect(await load()).toBeUndefined();
  });

  test("that are replaced while a search reads them are listed anew, and read", async () => {
    const other = await createKeywordAgent(database.db, "segments_replaced");
    const index = { schema: schemaName("segments_replaced"), generationId: 1 };
    const space = { schema: index.schema, role: roleName("segments_replaced") };
    const [id] = await other.add(["quokka", ...texts(600, 12)]);
    await other.count();
    expect(await other.pack()).toBe(1);
    const found = await withAgentTransaction(database.db, space, (tx) => {
      let isReplaced = false;
      const executeSql: SqlExecutor["executeSql"] = async (statement, values, options) => {
        if (!isReplaced && statement.includes("postings_1")) {
          isReplaced = true;
          const [old] = (await listSegments(tx, index)).segments;
          await pack(tx, index, { firstChunk: 1, lastChunk: old?.lastChunk ?? 0, replaced: [old?.id ?? ""] });
          // From now on only posting lists have the word.
          await tx.executeSql(`UPDATE ${index.schema}.chunks_1 SET keywords = '' WHERE id = $1`, [id]);
        }
        return tx.executeSql(statement, values, options);
      };
      const query = analyzeQuery("quokka", ["english"]);
      const asked = { ...index, languages: ["english"], query, limit: 10, cache: createSegmentCache(1e6) };
      return keywordCandidates({ executeSql }, asked);
    });
    expect(found.hits.map((hit) => hit.chunkId)).toEqual([id]);
  });

  test("a filter that hardly any of more than five thousand hits pass finds what does", async () => {
    const other = await createKeywordAgent(database.db, "segments_filtered");
    await other.query(
      `INSERT INTO $schema.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
       VALUES ('notes/b.md', 'b.md', '', '', 0, 0, now(), now(), now())`,
    );
    await other.query(
      `INSERT INTO $schema.chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
       SELECT CASE WHEN n > 6000 THEN 2 ELSE 1 END, 1, 0, 1, 1, '', '', '', n, 'heron:1'::tsvector FROM generate_series(1, 6003) AS n`,
    );
    await other.count();
    await other.pack();
    const filter = { paths: ["notes/"] };
    const found = await other.find("heron", { filter, cache: createSegmentCache(1e6) });
    expect(found.map((hit) => hit.chunkId)).toEqual(["6001", "6002", "6003"]);
  });

  test("256 positions of a lexeme are those of its own chunk", async () => {
    const other = await createKeywordAgent(database.db, "segments_256");
    const [id] = await other.add(["otter otters", ...texts(2100, 11)]);
    await other.query(
      `UPDATE $schema.chunks_1 SET keywords = v || v FROM (
         SELECT ('otter:' || string_agg(n::text, ',' ORDER BY n))::tsvector AS v FROM generate_series(1, 255) AS n) AS one
        WHERE id = $1`,
      [id],
    );
    await other.count();
    await other.pack();
    const hits = await other.find("otter", { cache: createSegmentCache(1e6) });
    expect(hits.map(({ chunkId }) => chunkId)).toEqual([id]);
    await expectSame(other, "otter");
  });

  test("a chunk whose write is under way is waited for: it may be seen after one with a greater id", async () => {
    const index = { schema: schemaName("segments"), generationId: 1 };
    const space = { schema: index.schema, role: roleName("segments") };
    let settled: Promise<number> | undefined;
    const written = await withAgentTransaction(database.db, space, async (tx) => {
      const { rows } = await tx.executeSql<{ id: string }>(
        `INSERT INTO ${index.schema}.chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
         SELECT file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords
           FROM ${index.schema}.chunks_1 ORDER BY id LIMIT 1 RETURNING id`,
      );
      settled = withAgentTransaction(database.db, space, (other) => settledChunk(other, index));
      // Enough time for a reader that does not wait.
      for (let i = 0; i < 20; i++) await tx.executeSql("SELECT 1");
      return Number(rows[0]?.id);
    });
    expect(await settled).toBe(written);
  });
});
