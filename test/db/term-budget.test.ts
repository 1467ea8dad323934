import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KeywordTerm } from "../../src/db/agent/keyword/keyword-terms.ts";
import { withinPostings, withinRows, withinUncounted } from "../../src/db/agent/keyword/term-budget.ts";
import { schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { createSegmentCache } from "../../src/db/agent/segments/segments.ts";
import type { SqlExecutor } from "../../src/db/database.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";

const term = (df: number, n = df): KeywordTerm => ({
  concept: n,
  lexeme: `w${n}`,
  prefix: false,
  operand: `'w${n}'`,
  weight: 1,
  df,
  isPart: false,
});
const index = { schema: schemaName("agent_00000000beef"), generationId: 1 };

/** Makes a database that answers counts and records the statements. */
function counting(answer: object): SqlExecutor & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    executeSql: async <R>(text: string) => {
      asked.push(text);
      return { rows: [answer as R] };
    },
  };
}

describe("the postings of a question", () => {
  const postings = (terms: readonly KeywordTerm[]) => terms.reduce((sum, { df }) => sum + df, 0);

  test.each([38_000, 1_000_000])("are bounded however common its words are, in an index of %i chunks", (chunks) => {
    const common = Array.from({ length: 64 }, (_, n) => term(Math.round(chunks * (0.6 + n / 200)), n));
    const kept = withinPostings(common, { counted: chunks, packed: chunks });
    expect(postings(kept)).toBeLessThanOrEqual(Math.max(200_000, 4 * chunks));
    expect(kept).toEqual(common.slice(0, kept.length));
    expect(kept.length).toBeGreaterThanOrEqual(4);
  });

  test("are all read of an ordinary question, and of any in a small index", () => {
    const ordinary = [3, 40, 900, 2000, 9000, 30_000, 38_000].map((df) => term(df));
    expect(withinPostings(ordinary, { counted: 38_000, packed: 38_000 })).toBe(ordinary);
    const many = Array.from({ length: 64 }, (_, n) => term(3000, n));
    expect(withinPostings(many, { counted: 3000, packed: 3000 })).toBe(many);
  });

  test("of a beginning of words are those of all words that begin so", () => {
    const [haus, baum] = [{ ...term(3000), prefix: true, postings: 900_000 }, term(3100)];
    expect(withinPostings([term(5), haus, baum], { counted: 3500, packed: 3500 })).toEqual([term(5)]);
    const endless = { ...haus, postings: Number.POSITIVE_INFINITY };
    expect(withinPostings([term(5), endless], { counted: 3500, packed: 3500 })).toEqual([term(5)]);
  });

  test("are as many as the index has now, not as it had when it was counted", () => {
    const common = Array.from({ length: 64 }, (_, n) => term(600, n));
    const kept = withinPostings(common, { counted: 600, packed: 100_000 });
    expect(kept).toHaveLength(4);
  });
});

describe("the rows that are read one by one", () => {
  const terms = Array.from({ length: 64 }, (_, n) => term(n));

  test("times the terms are bounded; of an ordinary question all are looked for, without a statement", async () => {
    const sql = counting({ count: 38_000 });
    const kept = await withinRows(sql, terms, { ...index, after: 7, atMost: 40_000 });
    expect(kept).toEqual(terms.slice(0, 15));
    expect(sql.asked).toEqual([expect.stringMatching(/id > 7\s+LIMIT 75000/)]);
    const ordinary = terms.slice(0, 8);
    expect(await withinRows(sql, ordinary, index)).toBe(ordinary);
    expect(await withinRows(sql, terms, { ...index, atMost: 9000 })).toBe(terms);
    expect(sql.asked).toHaveLength(1);
  });

  test("are counted, as ids say too much where chunks were replaced", async () => {
    expect(await withinRows(counting({ count: 500 }), terms, { ...index, atMost: 900_000 })).toEqual(terms);
  });

  test("of an index that nobody has counted say themselves which words are rare", async () => {
    const counts = terms.map((_, n) => (n % 2 === 0 ? 300 : n));
    const sql = counting({ count: 60_000, counts });
    const kept = await withinUncounted(sql, terms, index);
    expect(kept.map(({ concept }) => concept)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    expect(sql.asked).toHaveLength(2);
  });
});

describe("an index of common words", () => {
  let database: TestDatabase;
  let agent: KeywordAgent;
  const COMMON = Array.from({ length: 64 }, (_, n) => `qu${n}x`);
  beforeAll(async () => {
    database = await openTestDatabase();
    agent = await createKeywordAgent(database.db, "agent_0000000b0d9e");
    const text = (n: number) => [...COMMON.filter((_, w) => (n + w) % 41 !== 0), `rare${n % 500}`].join(" ");
    await agent.add(Array.from({ length: 3600 }, (_, n) => text(n)));
    await agent.count();
    await agent.pack();
  });
  afterAll(() => database.drop());

  test("a question of nothing but common words reads a bounded number of postings, and says so", async () => {
    const cache = createSegmentCache(64_000_000);
    const { hits, shortened, counted } = await agent.ask(COMMON.join(" "), { cache });
    expect(hits).toHaveLength(10);
    expect(shortened?.terms).toBe(64);
    expect(counted?.terms).toHaveLength(shortened?.kept ?? 0);
    const read = [...cache.postings.values()].flatMap((lists) => [...lists.values()].map((list) => list.length));
    expect(read.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(200_000);
  });

  test("one with rare words among them keeps these, with the scores of a shorter question", async () => {
    const cache = createSegmentCache(64_000_000);
    const { hits, counted } = await agent.ask(`${COMMON.join(" ")} rare7`, { cache, limit: 5 });
    const rare = new Set((await agent.find("rare7", { limit: 100 })).map(({ chunkId }) => chunkId));
    expect(hits.every(({ chunkId }) => rare.has(chunkId))).toBe(true);
    const words = counted?.terms.map(({ lexeme }) => lexeme).join(" ") ?? "";
    expect(words).toMatch(/rare7/);
    expect(hits.map(({ chunkId, score }) => ({ chunkId, score }))).toEqual(
      await agent.find(words, { cache, limit: 5 }),
    );
  });
});
