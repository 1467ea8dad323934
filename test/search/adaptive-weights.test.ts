import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Background, matchedIdf, textGain, vectorGain } from "../../src/search/adaptive-weights.ts";
import { type Candidate, type FusionSettings, fuse } from "../../src/search/fuse.ts";

const ADAPTIVE: FusionSettings = { fusion: "adaptive", vectorWeight: 0.7, textWeight: 0.3, rrfK: 60 };
const COMMON = { concept: 1, share: 0.5, idf: Math.log(2) };
const RARE = { concept: 2, share: 0.001, idf: 7 };
const CHANCE: Background = { chunks: 1000, terms: [COMMON, RARE], cosines: { mean: 0.1, deviation: 0.1 } };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const term = fc.record({ concept: fc.nat(5), share, idf: fc.double({ min: 0, max: 20, noNaN: true }) });
const background: fc.Arbitrary<Background> = fc.record({
  chunks: fc.integer({ min: 1, max: 1_000_000 }),
  terms: fc.array(term, { maxLength: 8 }),
  cosines: fc.record({ mean: fc.double({ min: -1, max: 1, noNaN: true }), deviation: share }),
});
const one = fc.record(
  {
    bm25: fc.double({ min: 0.01, max: 60, noNaN: true }),
    matched: fc.double({ min: 0, max: 50, noNaN: true }),
    similarity: fc.double({ min: -1, max: 1, noNaN: true }),
  },
  { requiredKeys: [] },
);
const candidates = fc
  .array(one, { minLength: 1, maxLength: 30 })
  .map((list) => list.map((candidate, i): Candidate => ({ chunkId: String(i + 1), ...candidate })));

describe("the weights of adaptive fusion", () => {
  test("a best cosine as chance gives it leaves the weight about as it is; one far out multiplies it", () => {
    expect(vectorGain(0.1 + 0.1 * 3.2, CHANCE)).toBeCloseTo(1, 0);
    expect(vectorGain(0.8, CHANCE)).toBeGreaterThan(4);
    expect(vectorGain(0.15, CHANCE)).toBe(0.1);
    expect(vectorGain(0.8, { ...CHANCE, cosines: { mean: 0.8, deviation: 0 } })).toBe(1);
  });

  test("a match of words that are everywhere takes the text weight away, a rare one raises it", () => {
    expect(textGain(1, { ...CHANCE, terms: [COMMON] })).toBeLessThan(0.1);
    expect(textGain(9, CHANCE)).toBeGreaterThan(2);
  });

  test("spellings of one concept count once", () => {
    const terms = [RARE, { ...RARE, idf: 3 }, COMMON];
    expect(matchedIdf(terms, [true, true, false])).toBe(7);
    expect(matchedIdf(terms, [false, true, true])).toBeCloseTo(3 + Math.log(2));
  });

  test("gains are finite, bounded and rise with the best score", () => {
    fc.assert(
      fc.property(background, share, share, (chance, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        for (const [gain, most] of [
          [vectorGain, 9],
          [(best: number, of: Background) => textGain(best * 60, of), 3.5],
        ] as const) {
          expect(gain(low, chance)).toBeGreaterThanOrEqual(0);
          expect(gain(high, chance)).toBeLessThanOrEqual(most);
          expect(gain(high, chance)).toBeGreaterThanOrEqual(gain(low, chance));
        }
      }),
    );
  });
});

describe("adaptive fusion", () => {
  const order = (list: readonly Candidate[], chance: Background) =>
    fuse(list, "hybrid", ADAPTIVE, chance).map((hit) => hit.chunkId);

  test("of two hits with the same BM25 the one that matches more of the question comes first", () => {
    const list: Candidate[] = [
      { chunkId: "1", bm25: 8, matched: 4, similarity: 0.4 },
      { chunkId: "2", bm25: 8, matched: 7, similarity: 0.4 },
    ];
    expect(order(list, CHANCE)).toEqual(["2", "1"]);
  });

  test("an exact name beats a vague likeness; common words do not beat a close likeness", () => {
    const exact: Candidate[] = [
      { chunkId: "1", bm25: 12, matched: 7, similarity: 0.2 },
      { chunkId: "2", similarity: 0.45 },
    ];
    expect(order(exact, CHANCE)[0]).toBe("1");
    const common: Candidate[] = [
      { chunkId: "1", bm25: 1, matched: 0.7, similarity: 0.5 },
      { chunkId: "2", similarity: 0.8 },
    ];
    expect(order(common, { ...CHANCE, terms: [COMMON] })[0]).toBe("2");
  });

  test("without a background it is weighted", () => {
    const list: Candidate[] = [{ chunkId: "1", bm25: 5, similarity: 0.2 }];
    expect(fuse(list, "hybrid", ADAPTIVE)).toEqual(fuse(list, "hybrid", { ...ADAPTIVE, fusion: "weighted" }));
  });

  test("an arm that is switched off by its weight does not come back, nor does the other go with its doubts", () => {
    const everywhere: Background = { ...CHANCE, terms: [{ concept: 1, share: 1, idf: 0.01 }] };
    const list: Candidate[] = [
      { chunkId: "1", bm25: 0.01, matched: 0.01, similarity: 0.9 },
      { chunkId: "2", bm25: 0.02, matched: 0.01, similarity: 0.1 },
    ];
    const text = { ...ADAPTIVE, vectorWeight: 0, textWeight: 1 };
    expect(fuse(list, "hybrid", text, everywhere)).toEqual(fuse(list, "hybrid", { ...text, fusion: "weighted" }));
  });

  test("scores are in 0..1, finite, in order, whatever the order of the candidates", () => {
    fc.assert(
      fc.property(candidates, background, (list, chance) => {
        const hits = fuse(list, "hybrid", ADAPTIVE, chance);
        expect(hits).toHaveLength(list.length);
        for (const [i, hit] of hits.entries()) {
          expect(hit.score).toBeGreaterThanOrEqual(0);
          expect(hit.score).toBeLessThanOrEqual(1);
          if (i > 0) expect(hit.score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 0);
        }
        const reversed = fuse(list.toReversed(), "hybrid", ADAPTIVE, chance).map((hit) => hit.chunkId);
        expect(reversed).toEqual(hits.map((hit) => hit.chunkId));
      }),
    );
  });

  test("a candidate that becomes more similar, or matches more, does not fall", () => {
    const known = candidates.map((list) => list.map((each) => ({ similarity: 0.1, matched: 1, ...each })));
    fc.assert(
      fc.property(known, fc.nat(), share, background, fc.boolean(), (list, pick, more, chance, byVector) => {
        const index = pick % list.length;
        const better = list.map((each, i) => {
          if (i !== index) return each;
          if (byVector) return { ...each, similarity: each.similarity + (1 - each.similarity) * more };
          return { ...each, matched: each.matched + more };
        });
        const id = list[index]?.chunkId ?? "";
        expect(order(better, chance).indexOf(id)).toBeLessThanOrEqual(order(list, chance).indexOf(id));
      }),
    );
  });
});
