import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSegmentCache } from "../../src/db/agent/segments/segments.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type FindOptions, type KeywordAgent } from "../support/keyword-agent.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

/** Computes BM25 by the book, over texts of plain words. */
function reference(texts: readonly string[], terms: readonly string[]): { index: number; score: number }[] {
  const documents = texts.map((text) => text.split(" "));
  const average = documents.reduce((sum, words) => sum + words.length, 0) / documents.length;
  const frequencies = new Map(terms.map((term) => [term, documents.filter((words) => words.includes(term)).length]));
  const scores = documents.map((words, index) => {
    let score = 0;
    for (const term of terms) {
      const tf = words.filter((word) => word === term).length;
      const df = frequencies.get(term) ?? 0;
      const idf = Math.log(1 + (documents.length - df + 0.5) / (df + 0.5));
      score += (idf * 2.2 * tf) / (tf + 1.2 * (0.25 + (0.75 * words.length) / average));
    }
    return { index, score };
  });
  return scores.filter((entry) => entry.score > 0).sort((a, b) => b.score - a.score || a.index - b.index);
}

/**
 * Returns texts of 1 to 300 words out of 30, some much more common than others; every call returns
 * the same texts.
 */
function wordSalad(count: number): string[] {
  let state = 42;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, (_, n) =>
    Array.from({ length: 1 + Math.floor(random() ** 4 * 300) }, () => `w${Math.floor(random() ** 3 * 30)}`)
      .concat(n === 7 ? Array<string>(250).fill("w29") : [])
      .join(" "),
  );
}

const EVERY_FILE = { paths: ["*"] };

describe.each<[string, number, () => FindOptions]>([
  ["a small index, counted as it is searched", 300, () => ({})],
  ["a large index, counted as it is searched", 2501, () => ({})],
  ["what passes a filter, by stored counts", 2502, () => ({ filter: EVERY_FILE })],
  ["posting lists", 2503, () => ({ cache: createSegmentCache(1e6) })],
])("BM25 over %s", (_, size, options) => {
  const texts = wordSalad(size);
  let agent: KeywordAgent;
  let ids: string[];
  beforeAll(async () => {
    agent = await createKeywordAgent(database.db, `bm25_${size}`, "simple");
    ids = await agent.add(texts);
    await agent.query("UPDATE $schema.chunks_1 SET source = 2 WHERE id = $1", [ids[7]]);
    await agent.count();
    await agent.pack();
  });

  test("the scores of given chunks are those of a search that finds all", async () => {
    const all = await agent.find("w1 w28 w29", { ...options(), limit: size });
    const asked = ids.filter((_id, n) => n % 7 === 0);
    const scores = await agent.scores("w1 w28 w29", asked);
    expect(scores).toHaveLength(all.filter((hit) => asked.includes(hit.chunkId)).length);
    for (const { chunkId, score } of scores)
      expect(score).toBeCloseTo(all.find((hit) => hit.chunkId === chunkId)?.score ?? -1, 9);
  });

  test.each(["w0", "w29", "w1 w28 w29", "w0 w5 w10 w15 w20 w25", "w29 absent"])("scores %s exactly", async (query) => {
    const expected = reference(texts, query.split(" ")).slice(0, 50);
    const hits = await agent.find(query, { ...options(), limit: 50 });
    expect(hits.map((hit) => hit.chunkId)).toEqual(expected.map((entry) => ids[entry.index]));
    for (const [rank, hit] of hits.entries()) expect(hit.score).toBeCloseTo(expected[rank]?.score ?? 0, 9);
  });

  test("only the sources asked for, weighed by the whole index", async () => {
    const all = await agent.find("w29", { ...options(), limit: 3 });
    const sessions = await agent.find("w29", { ...options(), sources: [2] });
    expect(all[0]?.chunkId).toBe(ids[7]);
    expect(sessions).toEqual([all[0]]);
    expect(await agent.find("w29", { ...options(), limit: 2, sources: [1] })).toEqual(all.slice(1));
  });
});

describe("an index that was counted before", () => {
  let agent: KeywordAgent;
  const all: (() => FindOptions)[] = [
    () => ({}),
    () => ({ filter: EVERY_FILE }),
    () => ({ cache: createSegmentCache(1e6) }),
  ];
  beforeAll(async () => {
    agent = await createKeywordAgent(database.db, "counted_before");
    await agent.add(Array.from({ length: 3000 }, (_, n) => `common filler${n % 2} tone${n % 3}`));
  });

  test("is found in before and after", async () => {
    const [both, rare] = await agent.add(["common zebra", "zebra crossing"]);
    for (const when of ["before", "after"])
      for (const options of all) {
        const hits = (await agent.find("common zebra", options())).map((hit) => hit.chunkId);
        expect(hits.slice(0, 2), when).toEqual([both, rare]);
        if (options === all.at(-1)) await agent.count();
      }
    await agent.pack();
  });

  test("has words that are newer than the counts", async () => {
    const [added] = await agent.add(["common quokka"]);
    for (const options of all)
      expect((await agent.find("quokka common tone0 filler1", options()))[0]?.chunkId).toBe(added);
  });

  test("is found in by the words it has, and by new ones, among many that it does not have", async () => {
    const [added] = await agent.add(["wallaby"]);
    const pasted = Array.from({ length: 70 }, (_, n) => `aa${n}bb`).join(" ");
    for (const options of all) {
      expect(await agent.find(`${pasted} zebra`, options())).toHaveLength(2);
      expect((await agent.find(`wallaby ${pasted} common`, options()))[0]?.chunkId).toBe(added);
    }
  });
});

describe("a query", () => {
  let agent: KeywordAgent;
  beforeAll(async () => {
    agent = await createKeywordAgent(database.db, "queries");
    await agent.add(["The cats don't sleep on the mat", "A café in Zürich", "Nothing of the kind"]);
  });

  test("of stop words or signs alone finds nothing", async () => {
    expect(await agent.find("the of on don't")).toEqual([]);
    expect(await agent.find("?! -- '' \\ %_ & | <->")).toEqual([]);
    expect(await agent.find("")).toEqual([]);
  });

  test("is text, whatever operators it spells", async () => {
    for (const query of ["cat & !mat", `"cats`, "cat:*", "(cat", "cat\\", "cat'--", "cat <-> cafe", "cat%"])
      expect(await agent.find(query)).not.toEqual([]);
    expect(await agent.find("ca:*")).toEqual([]);
  });

  test("of any text never fails, and any text can be indexed and found", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 80 }), async (raw) => {
        // A file cannot contain a NUL: the service refuses it earlier.
        const text = raw.replaceAll("\0", " ");
        const [id] = await agent.add([text]);
        const vector = await agent.query<{ lexemes: string }>(
          "SELECT length(keywords) AS lexemes FROM $schema.chunks_1 WHERE id = $1",
          [id],
        );
        const found = (await agent.find(raw, { limit: 100 })).some((hit) => hit.chunkId === id);
        expect(found).toBe(Number(vector[0]?.lexemes) > 0);
        await agent.remove([id ?? ""]);
      }),
      { numRuns: 150 },
    );
  });

  test("finds by its words, whatever was pasted before or after", async () => {
    const pasted = Array.from({ length: 90 }, (_, n) => `${n}f3e-77aa${n}`).join(" ");
    expect(await agent.find(`${pasted} cats`)).toHaveLength(1);
    expect(await agent.find(`${pasted} cats ${pasted.toUpperCase().replaceAll("F3E", "b2c")} cats`)).toHaveLength(1);
    expect(await agent.find(`cats ${pasted}`)).toHaveLength(1);
  });

  test("of ten kilobytes works", async () => {
    expect(await agent.find("cat sleeping ".repeat(800))).toHaveLength(1);
    expect(await agent.find(Array.from({ length: 1500 }, (_, n) => `word${n}`).join(" "))).toEqual([]);
  });
});
