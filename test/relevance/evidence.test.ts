import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Background,
  evidenceOf,
  isRareMatch,
  matchedIdf,
  type Scored,
  scoreOf,
  textEvidence,
  vectorEvidence,
} from "../../src/relevance/ranking/evidence.ts";
import { type Candidate, type FusionSettings, fuse } from "../../src/relevance/ranking/fuse.ts";

const ADAPTIVE: FusionSettings = { fusion: "adaptive", vectorWeight: 0.7, textWeight: 0.3, rrfK: 60 };
/**
 * A thousand chunks of a model whose cosines are 0.1 on average, and a query of one rare and one
 * common word.
 */
const CHANCE: Background = { chunks: 1000, wanted: 7.7, cosines: { mean: 0.1, deviation: 0.1, sensitivity: 1.4 } };

/** Returns the joint evidence of two arms: less than the sum, more than the better arm. */
const both = (one: number, other: number) => (one ** 1.1 + other ** 1.1) ** (1 / 1.1);
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const cosine = fc.double({ min: -1, max: 1, noNaN: true });
const background: fc.Arbitrary<Background> = fc.record({
  chunks: fc.integer({ min: 1, max: 1_000_000 }),
  wanted: fc.double({ min: 0, max: 60, noNaN: true }),
  cosines: fc.option(
    fc.record({ mean: cosine, deviation: unit, sensitivity: fc.double({ min: 0, max: 2.5, noNaN: true }) }),
    { nil: undefined },
  ),
});
const scored: fc.Arbitrary<Scored> = fc.record(
  {
    bm25: fc.double({ min: 0.01, max: 60, noNaN: true }),
    matched: fc.double({ min: 0, max: 50, noNaN: true }),
    similarity: cosine,
  },
  { requiredKeys: [] },
);
const candidates = fc
  .array(scored, { minLength: 1, maxLength: 30 })
  .map((list) => list.map((one, i) => ({ chunkId: String(i + 1), ...one }) as Candidate));
const modes = fc.constantFrom("hybrid", "keyword", "vector") as fc.Arbitrary<"hybrid" | "keyword" | "vector">;

describe("evidence", () => {
  test("a cosine as the best of as many random chunks has is one, the mean is nothing", () => {
    // The largest of a thousand normal values is 3.12 on average.
    expect(vectorEvidence(0.1 + 0.1 * 3.12, CHANCE)).toBeCloseTo(1, 1);
    expect(vectorEvidence(0.1, CHANCE)).toBe(0);
    expect(vectorEvidence(-0.5, CHANCE)).toBe(0);
    expect(vectorEvidence(0.9, CHANCE)).toBeGreaterThan(2.5);
  });

  test("a cosine and a word that are equally rare by chance say as much, but for the scale of words", () => {
    // One of a million normal values is 4.75 or more. A word with idf ln N is in one of N chunks.
    const million: Background = { ...CHANCE, chunks: 1_000_000, wanted: Math.log(1_000_000) };
    const rare = { bm25: Math.log(1_000_000), matched: Math.log(1_000_000) };
    expect(textEvidence(rare, million)).toBeCloseTo(2);
    expect(vectorEvidence(0.1 + 0.1 * 4.75, million)).toBeCloseTo(1, 1);
    expect(vectorEvidence(0.1 + (0.1 * 4.75) / Math.SQRT2, million)).toBeCloseTo(0.5, 1);
  });

  test("a cosine or a background that is not known is no evidence, not none", () => {
    expect(vectorEvidence(undefined, CHANCE)).toBeUndefined();
    expect(vectorEvidence(0.9, { ...CHANCE, cosines: undefined })).toBeUndefined();
    expect(vectorEvidence(0.9, { ...CHANCE, cosines: { mean: 0.9, deviation: 0, sensitivity: 1.4 } })).toBeUndefined();
  });

  test("a chunk without an embedding is as near as it is good by words, but no nearer than chance's best", () => {
    const of = (bm25: number, matched: number) => {
      const text = textEvidence({ bm25, matched }, CHANCE);
      return { text, whole: evidenceOf({ bm25, matched }, "hybrid", ADAPTIVE, CHANCE) };
    };
    const weak = of(0.5, 0.7);
    expect(weak.text).toBeLessThan(1);
    expect(weak.whole).toBeCloseTo(both(weak.text, weak.text));
    const strong = of(14, 7.5);
    expect(strong.text).toBeGreaterThan(1);
    expect(strong.whole).toBeCloseTo(both(1, strong.text));
    expect(evidenceOf({}, "hybrid", ADAPTIVE, CHANCE)).toBe(0);
  });

  test("a chunk that alone has all words of the query has as much evidence as any other chunk can have", () => {
    for (const chunks of [10, 1000, 1_000_000]) {
      const word = Math.log(1 + (chunks - 0.5) / 1.5);
      const chance: Background = { ...CHANCE, chunks, wanted: word + 1, rarest: word };
      const unique = { bm25: word + 1, matched: word + 1, similarity: -0.1 };
      const nearest = { bm25: 1, matched: 1, similarity: 1 };
      expect(evidenceOf(unique, "hybrid", ADAPTIVE, chance)).toBeGreaterThan(
        evidenceOf(nearest, "hybrid", ADAPTIVE, chance),
      );
      // Without one of the words, or with words that other chunks have too, its cosine counts.
      const parts = { ...unique, bm25: word, matched: word };
      expect(evidenceOf(parts, "hybrid", ADAPTIVE, chance)).toBeLessThan(
        evidenceOf(nearest, "hybrid", ADAPTIVE, chance),
      );
      expect(evidenceOf(unique, "hybrid", ADAPTIVE, { ...chance, rarest: word / 3 })).toBeLessThan(
        evidenceOf(nearest, "hybrid", ADAPTIVE, chance),
      );
    }
  });

  test("words that are everywhere say next to nothing; words as rare as one chunk of all say more than chance", () => {
    expect(textEvidence({ bm25: 1, matched: 0.7 }, CHANCE)).toBeLessThan(0.1);
    expect(textEvidence({ bm25: 9, matched: 7 }, CHANCE)).toBeGreaterThan(2);
    expect(textEvidence({ bm25: 9, matched: 7 }, { ...CHANCE, wanted: 0 })).toBe(0);
    expect(isRareMatch({ matched: 7 }, CHANCE)).toBe(true);
    expect(isRareMatch({ matched: 6.8 }, CHANCE)).toBe(false);
    expect(isRareMatch({}, CHANCE)).toBe(false);
  });

  test("spellings of one concept count once", () => {
    const rare = { concept: 2, idf: 7 };
    const terms = [rare, { ...rare, idf: 3 }, { concept: 1, idf: Math.log(2) }];
    expect(matchedIdf(terms, [true, true, false])).toBe(7);
    expect(matchedIdf(terms, [false, true, true])).toBeCloseTo(3 + Math.log(2));
  });

  test("the mode says which arm counts, and the weights how much", () => {
    const hit = { bm25: 9, matched: 7, similarity: 0.6 };
    const [near, text] = [vectorEvidence(0.6, CHANCE) ?? 0, textEvidence(hit, CHANCE)];
    expect(evidenceOf(hit, "keyword", ADAPTIVE, CHANCE)).toBe(text);
    expect(evidenceOf(hit, "vector", ADAPTIVE, CHANCE)).toBe(near);
    expect(evidenceOf(hit, "hybrid", ADAPTIVE, CHANCE)).toBeCloseTo(both(near, text));
    expect(evidenceOf(hit, "hybrid", { vectorWeight: 0, textWeight: 0.3 }, CHANCE)).toBeCloseTo(text);
    expect(evidenceOf(hit, "hybrid", { vectorWeight: 1.4, textWeight: 0 }, CHANCE)).toBeCloseTo(2 * near);
  });

  test("is finite, not negative, and never less for a greater cosine, BM25 or share of the question", () => {
    const cases = fc.tuple(scored, modes, background, unit);
    fc.assert(
      fc.property(cases, fc.constantFrom("similarity", "bm25", "matched"), ([one, mode, chance, more], what) => {
        const before = evidenceOf(one, mode, ADAPTIVE, chance);
        expect(Number.isFinite(before) && before >= 0).toBe(true);
        // A cosine that becomes known may lower the evidence.
        const value = one[what];
        if (value === undefined) return;
        const raised = what === "similarity" ? value + (1 - value) * more : value + 10 * more;
        expect(evidenceOf({ ...one, [what]: raised }, mode, ADAPTIVE, chance)).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test("a score is in 0..1, and rises with evidence", () => {
    expect(scoreOf(0)).toBe(0);
    const evidence = fc.double({ min: 0, max: 200, noNaN: true });
    fc.assert(
      fc.property(evidence, evidence, (one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(scoreOf(low)).toBeGreaterThanOrEqual(0);
        expect(scoreOf(high)).toBeLessThanOrEqual(1);
        expect(scoreOf(high)).toBeGreaterThanOrEqual(scoreOf(low));
      }),
    );
  });
});

describe("adaptive fusion", () => {
  const order = (list: readonly Candidate[], chance: Background) =>
    fuse(list, "hybrid", ADAPTIVE, chance).map((hit) => hit.chunkId);

  test("a hit's score is its own, whatever else is found", () => {
    fc.assert(
      fc.property(candidates, candidates, modes, background, fc.nat(), (list, others, mode, chance, pick) => {
        const one = list[pick % list.length] as Candidate;
        const more = others.map((other) => ({ ...other, chunkId: `9${other.chunkId.padStart(4, "0")}` }));
        const [alone] = fuse([one], mode, ADAPTIVE, chance);
        const among = fuse([...list, ...more], mode, ADAPTIVE, chance).find((hit) => hit.chunkId === one.chunkId);
        expect([among?.score, among?.evidence]).toEqual([alone?.score, alone?.evidence]);
      }),
    );
  });

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
    expect(order(common, { ...CHANCE, wanted: 0.7 })[0]).toBe("2");
  });

  test("without a background it is weighted", () => {
    const list: Candidate[] = [{ chunkId: "1", bm25: 5, similarity: 0.2 }];
    expect(fuse(list, "hybrid", ADAPTIVE)).toEqual(fuse(list, "hybrid", { ...ADAPTIVE, fusion: "weighted" }));
  });

  test("an arm that is switched off by its weight does not come back", () => {
    const list: Candidate[] = [
      { chunkId: "1", bm25: 0.01, matched: 0.01, similarity: 0.9 },
      { chunkId: "2", bm25: 0.02, matched: 0.01, similarity: 0.1 },
    ];
    const byText = fuse(list, "hybrid", { ...ADAPTIVE, vectorWeight: 0, textWeight: 1 }, CHANCE);
    expect(byText.map((hit) => hit.chunkId)).toEqual(["2", "1"]);
    const byVector = fuse(list, "hybrid", { ...ADAPTIVE, vectorWeight: 1, textWeight: 0 }, CHANCE);
    expect(byVector.map((hit) => hit.chunkId)).toEqual(["1", "2"]);
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
});
