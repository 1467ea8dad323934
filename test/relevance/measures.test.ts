import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MEASURE_NAMES, measure, ndcg, recall, reciprocalRank } from "../../src/relevance/measures/measures.ts";

const judged = (scores: Record<string, number>) => new Map(Object.entries(scores));

describe("known figures", () => {
  test("the example of pytrec_eval's README, which prints trec_eval's own", () => {
    // The run and judgements of q1 and q2 in that README, ranked by its scores.
    expect(ndcg(["d3", "d1", "d2"], judged({ d1: 0, d2: 1, d3: 0 }), 10)).toBeCloseTo(0.5, 12);
    expect(ndcg(["d1", "d3", "d2"], judged({ d2: 1, d3: 1 }), 10)).toBeCloseTo(0.6934264036172708, 12);
  });

  test("graded judgements gain linearly, by hand: (2/log2 3 + 3/log2 4 + 1/log2 6) / (3 + 2/log2 3 + 1/log2 4)", () => {
    const judgements = judged({ a: 3, b: 2, c: 1, d: 0 });
    // With the gain 2^rel − 1 the nDCG would be 0.6153.
    expect(ndcg(["x", "b", "a", "d", "c"], judgements, 10)).toBeCloseTo(0.661236, 5);
  });

  test("the cut: what stands below rank k counts for nothing, and the ideal is cut as well", () => {
    const judgements = judged({ a: 1, b: 1, c: 1 });
    expect(ndcg(["a", "b"], judgements, 2)).toBe(1);
    expect(ndcg(["x", "y", "a"], judgements, 2)).toBe(0);
    expect(recall(["a", "b"], judgements, 2)).toBeCloseTo(2 / 3);
    expect(reciprocalRank(["x", "y", "a"], judgements, 3)).toBeCloseTo(1 / 3);
    expect(reciprocalRank(["x", "y", "a"], judgements, 2)).toBe(0);
  });

  test("a negative judgement neither gains nor costs, as in trec_eval", () => {
    expect(measure(["junk", "a"], judged({ a: 1, junk: -2 }))).toEqual(measure(["other", "a"], judged({ a: 1 })));
  });

  test("nothing found is 0 everywhere", () => {
    expect(Object.values(measure([], judged({ a: 1 })))).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

const id = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz");
const ranking = fc.uniqueArray(id, { maxLength: 26 });
const judgements = fc
  .dictionary(id, fc.integer({ min: -1, max: 3 }), { minKeys: 1, maxKeys: 12 })
  .map((scores) => judged({ ...scores, a: 2 }));

describe("for any ranking", () => {
  test("each measure lies between 0 and 1", () => {
    fc.assert(
      fc.property(ranking, judgements, (documents, gains) => {
        for (const name of MEASURE_NAMES) {
          const value = measure(documents, gains)[name];
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  test("the best order has nDCG 1 and MRR 1, and no other order has more", () => {
    fc.assert(
      fc.property(ranking, judgements, (documents, gains) => {
        const best = [...gains].sort(([, a], [, b]) => b - a).map(([document]) => document);
        expect(measure(best, gains).ndcg10).toBeCloseTo(1, 12);
        expect(measure(best, gains).mrr10).toBe(1);
        expect(measure(documents, gains).ndcg10).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  test("the order of what is not relevant below the last relevant document changes nothing", () => {
    fc.assert(
      fc.property(ranking, judgements, fc.integer(), (documents, gains, seed) => {
        const last = documents.findLastIndex((document) => (gains.get(document) ?? 0) > 0) + 1;
        const tail = documents
          .slice(last)
          .sort((a, b) => ((a.charCodeAt(0) * seed) % 97) - ((b.charCodeAt(0) * seed) % 97));
        expect(measure([...documents.slice(0, last), ...tail], gains)).toEqual(measure(documents, gains));
      }),
    );
  });

  test("recall never falls with k, and moving a relevant document up never lowers anything", () => {
    fc.assert(
      fc.property(ranking, judgements, fc.nat(25), (documents, gains, at) => {
        const now = measure(documents, gains);
        expect([now.recall1, now.recall5, now.recall10, now.recall100]).toEqual(
          [now.recall1, now.recall5, now.recall10, now.recall100].sort((a, b) => a - b),
        );
        const [above, moved] = documents.slice(at, at + 2);
        fc.pre(above !== undefined && moved !== undefined);
        fc.pre((gains.get(moved ?? "") ?? 0) > Math.max(0, gains.get(above ?? "") ?? 0));
        const better = measure(documents.toSpliced(at, 2, moved ?? "", above ?? ""), gains);
        // A document that is worth more replaces one that is worth less.
        expect(better.ndcg10).toBeGreaterThanOrEqual(now.ndcg10 - 1e-12);
        expect(better.mrr10).toBeGreaterThanOrEqual(now.mrr10);
      }),
    );
  });
});
