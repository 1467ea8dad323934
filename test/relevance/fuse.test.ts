import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Background, type Scored, scoreOf } from "../../src/relevance/ranking/evidence.ts";
import { type Candidate, type FusionSettings, fuse } from "../../src/relevance/ranking/fuse.ts";
import { applyFloor, type Floor } from "../../src/relevance/ranking/rank.ts";

const WEIGHTED: FusionSettings = { fusion: "weighted", vectorWeight: 0.7, textWeight: 0.3, rrfK: 60 };
const RRF: FusionSettings = { ...WEIGHTED, fusion: "rrf" };

const candidate = fc.record(
  { bm25: fc.double({ min: 0.01, max: 60, noNaN: true }), similarity: fc.double({ min: -1, max: 1, noNaN: true }) },
  { requiredKeys: [] },
);
const candidates = fc
  .array(candidate, { maxLength: 40 })
  .map((list) => list.map((one, i): Candidate => ({ chunkId: String(i + 1), ...one })));
const modes = fc.constantFrom("hybrid", "keyword", "vector") as fc.Arbitrary<"hybrid" | "keyword" | "vector">;
const settings = fc.constantFrom(WEIGHTED, RRF);

describe("fusion", () => {
  test("weighted: 0.7 · cosine + 0.3 · bm25 / best bm25", () => {
    const hits = fuse(
      [
        { chunkId: "1", bm25: 5, similarity: 0.2 },
        { chunkId: "2", bm25: 10, similarity: 0.4 },
        { chunkId: "3", similarity: 0.6 },
      ],
      "hybrid",
      WEIGHTED,
    );
    expect(hits.map((hit) => [hit.chunkId, Number(hit.score.toFixed(6))])).toEqual([
      ["2", 0.58],
      ["3", 0.42],
      ["1", 0.29],
    ]);
  });

  test("weighted: a chunk that is not embedded yet counts as near as it is good by words", () => {
    const hits = fuse(
      [
        { chunkId: "1", bm25: 8 },
        { chunkId: "2", similarity: 0.5 },
        { chunkId: "3", similarity: 0.3 },
        { chunkId: "4", bm25: 2 },
      ],
      "hybrid",
      WEIGHTED,
    );
    expect(hits.map((hit) => hit.chunkId)).toEqual(["1", "2", "4", "3"]);
    expect(hits[0]?.score).toBeCloseTo(0.7 * 0.5 + 0.3);
    expect(hits[2]?.score).toBeCloseTo(0.7 * 0.35 + 0.3 * 0.25);
    expect(hits[0]?.vectorScore).toBeUndefined();
  });

  test("adaptive: the only match of a word that was just written comes before what is alike by chance", () => {
    const background = {
      chunks: 900,
      wanted: 6.4,
      cosines: { mean: 0.05, deviation: 0.06, sensitivity: 1.25 },
    };
    const alike = Array.from({ length: 24 }, (_, n) => ({ chunkId: `${n + 2}`, similarity: 0.2 - n / 1000 }));
    const hits = fuse(
      [...alike, { chunkId: "1", bm25: 6.5, matched: 6.4 }],
      "hybrid",
      { ...WEIGHTED, fusion: "adaptive" },
      background,
    );
    expect(hits[0]?.chunkId).toBe("1");
  });

  test("rrf: first in both arms scores 1, and one arm alone its weight", () => {
    const hits = fuse(
      [
        { chunkId: "1", bm25: 9, similarity: 0.9 },
        { chunkId: "2", bm25: 1 },
      ],
      "hybrid",
      RRF,
    );
    expect(hits[0]?.score).toBeCloseTo(1);
    expect(hits[1]?.score).toBeCloseTo((0.3 * 61) / 62);
  });

  test("rrf: equal weights add 1 / (k + rank) of both arms, as a share of the best sum there is", () => {
    const list = [
      { chunkId: "1", bm25: 9, similarity: 0.1 },
      { chunkId: "2", bm25: 8, similarity: 0.9 },
      { chunkId: "3", similarity: 0.5 },
    ];
    const scores = new Map(
      fuse(list, "hybrid", { ...RRF, vectorWeight: 1, textWeight: 1 }).map((hit) => [hit.chunkId, hit.score]),
    );
    const best = 2 / 61;
    expect(scores.get("1")).toBeCloseTo((1 / 61 + 1 / 63) / best);
    expect(scores.get("2")).toBeCloseTo((1 / 62 + 1 / 61) / best);
    expect(scores.get("3")).toBeCloseTo(1 / 62 / best);
  });

  test("scores are in 0..1, finite, in order, one hit a candidate, whatever the order of the candidates", () => {
    fc.assert(
      fc.property(candidates, modes, settings, (list, mode, how) => {
        const hits = fuse(list, mode, how);
        expect(hits).toHaveLength(list.length);
        for (const [i, hit] of hits.entries()) {
          expect(hit.score).toBeGreaterThanOrEqual(0);
          expect(hit.score).toBeLessThanOrEqual(1 + 1e-9);
          expect(hit.score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 2);
        }
        expect(fuse(list.toReversed(), mode, how)).toEqual(hits);
      }),
    );
  });

  test("a higher BM25 or similarity never ranks a candidate lower than its twin", () => {
    fc.assert(
      fc.property(candidates, settings, fc.double({ min: 0.1, max: 5, noNaN: true }), (list, how, more) => {
        const weak = { chunkId: "900", bm25: 3, similarity: 0.3 };
        const strong = { chunkId: "901", bm25: 3 + more, similarity: 0.3 + more / 10 };
        const ids = fuse([...list, weak, strong], "hybrid", how).map((hit) => hit.chunkId);
        expect(ids.indexOf("901")).toBeLessThan(ids.indexOf("900"));
      }),
    );
  });
});

describe("the floor", () => {
  const chance: Background = { chunks: 1000, wanted: 10, cosines: { mean: 0.1, deviation: 0.1, sensitivity: 1.25 } };
  const hit = (chunkId: string, evidence: number) => ({ chunkId, evidence, score: scoreOf(evidence) });
  const hits = [hit("1", 3), hit("2", 1.7), hit("3", 1.5), hit("4", 0.25), hit("5", 0.2), hit("6", 0)];
  const known = (scores: ReadonlyMap<string, Scored> = new Map(), facts: readonly string[] = []) => ({
    scores,
    isFact: ({ chunkId }: { chunkId: string }) => facts.includes(chunkId),
  });
  const kept = (floor: Floor, scored: [string, Scored][] = [], background: Background | undefined = chance) =>
    applyFloor(hits, known(new Map(scored)), background, floor).map((one) => one.chunkId);

  test("both drop what has less than a quarter of what chance gives", () => {
    expect(kept("auto")).toEqual(["1", "2", "3", "4"]);
    expect(kept("recall")).toEqual(["1", "2", "3", "4"]);
  });

  test("recall drops all when the best does not stand out of chance, as nobody asked", () => {
    const hit = (evidence: number) => ({ chunkId: "1", score: 0.1, evidence });
    expect(applyFloor([hit(1.21), hit(0.6)], known(), chance, "recall")).toHaveLength(2);
    expect(applyFloor([hit(1.19), hit(0.6)], known(), chance, "recall")).toEqual([]);
    expect(applyFloor([hit(1.19), hit(0.6)], known(), chance, "auto")).toHaveLength(2);
  });

  test("recall keeps a fact with all words of the message, however common they are", () => {
    const weak = [{ chunkId: "1", score: 0.1, evidence: 0.6 }];
    const scores = new Map([["1", { matched: chance.wanted }]]);
    expect(applyFloor(weak, known(scores, ["1"]), chance, "recall")).toEqual(weak);
    expect(applyFloor(weak, known(scores), chance, "recall")).toEqual([]);
  });

  test("recall keeps a fact that stands out of the facts, or is about somebody whom the message names", () => {
    const fact = (evidenceAsFact: number) => [{ chunkId: "1", score: 0.1, evidence: 0.6, evidenceAsFact }];
    expect(applyFloor(fact(1.81), known(new Map(), ["1"]), chance, "recall")).toHaveLength(1);
    expect(applyFloor(fact(1.79), known(new Map(), ["1"]), chance, "recall")).toEqual([]);
    expect(applyFloor(fact(1.81), known(), chance, "recall")).toEqual([]);
    const named = { ...known(new Map(), ["1"]), isNamed: () => true };
    expect(applyFloor(fact(0), named, chance, "recall")).toHaveLength(1);
    const weak = [{ chunkId: "1", score: 0.1, evidence: 0.1 }];
    expect(applyFloor(weak, named, chance, "auto")).toEqual([]);
  });

  test("words rarer than chance are kept in any case", () => {
    const rare: [string, Scored][] = [
      ["5", { matched: Math.log(1000) }],
      ["6", { matched: Math.log(1000) - 0.01 }],
    ];
    expect(kept("auto", rare)).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("without a background there are too few chunks to choose from: nothing is dropped", () => {
    for (const floor of ["auto", "recall"] as const) expect(applyFloor(hits, known(), undefined, floor)).toEqual(hits);
  });

  test("what auto keeps does not depend on what else there is", () => {
    fc.assert(
      fc.property(candidates, (list) => {
        const adaptive: FusionSettings = { ...WEIGHTED, fusion: "adaptive" };
        const passes = (some: readonly Candidate[]) => {
          const scored = new Map(some.map((one) => [one.chunkId, one]));
          return applyFloor(fuse(some, "hybrid", adaptive, chance), known(scored), chance, "auto").map(
            (one) => one.chunkId,
          );
        };
        const alone = list.flatMap((one) => passes([one]));
        expect(passes(list).toSorted()).toEqual(alone.toSorted());
      }),
    );
  });
});
