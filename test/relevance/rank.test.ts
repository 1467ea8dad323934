import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Background } from "../../src/relevance/ranking/evidence.ts";
import type { Candidate } from "../../src/relevance/ranking/fuse.ts";
import { type CandidateDetails, type RankingRequest, rank, rankTogether } from "../../src/relevance/ranking/rank.ts";
import { RANKED_AT, rankingRequest } from "../support/ranking-request.ts";

const NOW = RANKED_AT;
const REQUEST = rankingRequest(0, "weighted");
const CHANCE: Background = { chunks: 1000, wanted: 7, cosines: { mean: 0.1, deviation: 0.1, sensitivity: 1.25 } };
const decaying = { ...REQUEST.settings, temporalDecay: { enabled: true, halfLifeDays: 30 } };
const fact = (path: string, hash = path, days = 0): CandidateDetails => ({
  path,
  hash,
  changedAt: new Date(NOW.getTime() - days * 86_400_000),
});
const order = (candidates: Candidate[], facts: [string, CandidateDetails][], request: Partial<RankingRequest> = {}) =>
  rank(candidates, new Map(facts), { ...REQUEST, ...request });

describe("ranking", () => {
  const two: Candidate[] = [
    { chunkId: "1", bm25: 10, similarity: 0.8 },
    { chunkId: "2", bm25: 5, similarity: 0.6 },
  ];

  test("an older answer comes after a newer one and is not dropped for its age", () => {
    const facts: [string, CandidateDetails][] = [
      ["1", fact("a.md", "a", 300)],
      ["2", fact("b.md", "b", 1)],
    ];
    expect(order(two, facts).ranked.map((hit) => hit.chunkId)).toEqual(["1", "2"]);
    const { ranked, leftOut } = order(two, facts, { settings: decaying, minScore: "auto", background: CHANCE });
    expect(ranked.map((hit) => hit.chunkId)).toEqual(["2", "1"]);
    expect(ranked[1]?.decay).toBeCloseTo(2 ** -10);
    expect(ranked[1]?.fusedScore).toBeCloseTo(0.86);
    expect(leftOut.size).toBe(0);
  });

  test("a floor that is given holds for the score that is shown: of an old answer for what is left of it", () => {
    const facts: [string, CandidateDetails][] = [
      ["1", fact("a.md", "a", 300)],
      ["2", fact("b.md", "b", 1)],
    ];
    const { ranked, leftOut } = order(two, facts, { settings: decaying, minScore: 0.35 });
    expect(ranked.map((hit) => hit.chunkId)).toEqual(["2"]);
    expect(leftOut.get("1")).toEqual({ stage: "floor", score: expect.closeTo(0.86 * 2 ** -10) });
  });

  test("equal texts are shown once, and it is said of which", () => {
    const { ranked, leftOut } = order(two, [
      ["1", fact("a.md", "same")],
      ["2", fact("b.md", "same")],
    ]);
    expect(ranked.map((hit) => hit.chunkId)).toEqual(["1"]);
    expect(leftOut.get("2")).toEqual({ stage: "duplicate", of: "1" });
    expect(
      order(
        two,
        [
          ["1", fact("a.md", "same")],
          ["2", fact("b.md", "same")],
        ],
        { deduplicate: false },
      ).ranked,
    ).toHaveLength(2);
  });

  test("named files come first, also one that no arm found", () => {
    const facts: [string, CandidateDetails][] = [
      ["1", fact("a.md")],
      ["2", fact("b.md")],
      ["9", fact("c.md")],
    ];
    const named = [
      { path: "c.md", firstChunkId: "9" },
      { path: "b.md", firstChunkId: "2" },
    ];
    const { ranked } = order(two, facts, { named });
    expect(ranked.map((hit) => [hit.chunkId, hit.named])).toEqual([
      ["9", true],
      ["2", true],
      ["1", false],
    ]);
  });

  test("what is below the floor is told apart, and a candidate whose chunk is gone is no hit", () => {
    const { ranked, leftOut } = order(
      [...two, { chunkId: "3", similarity: 0.1 }, { chunkId: "4", similarity: 1 }],
      [
        ["1", fact("a.md")],
        ["2", fact("b.md")],
        ["3", fact("c.md")],
      ],
      { minScore: 0.35 },
    );
    expect(ranked.map((hit) => hit.chunkId)).toEqual(["1", "2"]);
    expect(leftOut.get("3")).toMatchObject({ stage: "floor" });
    expect(leftOut.has("4")).toBe(false);
  });

  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const candidate = fc.record(
    { bm25: fc.double({ min: 0.01, max: 60, noNaN: true }), similarity: fc.double({ min: -1, max: 1, noNaN: true }) },
    { requiredKeys: [] },
  );
  test("each candidate is ranked or left out, once; the order of the candidates makes no difference; no NaN", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(candidate, fc.nat(3), fc.nat(400)), { maxLength: 30 }),
        fc.constantFrom(REQUEST.settings, decaying, { ...decaying, fusion: "rrf" as const }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, settings, minScore) => {
          const candidates = list.map(([one], i): Candidate => ({ chunkId: String(i + 1), ...one }));
          const facts = list.map(([, hash, days], i): [string, CandidateDetails] => [
            String(i + 1),
            fact(`f${i}.md`, `${hash}`, days),
          ]);
          const { ranked, leftOut } = order(candidates, facts, { settings, minScore });
          expect([...ranked.map((hit) => hit.chunkId), ...leftOut.keys()].sort()).toEqual(
            candidates.map((one) => one.chunkId).sort(),
          );
          for (const [i, hit] of ranked.entries()) {
            expect(hit.score).toBeGreaterThanOrEqual(0);
            expect(hit.score).toBeLessThanOrEqual(ranked[i - 1]?.score ?? 1);
          }
          expect(order(candidates.toReversed(), facts, { settings, minScore }).ranked).toEqual(ranked);
        },
      ),
    );
  });

  const listed = fc.array(fc.tuple(candidate, fc.nat(3), fc.nat(400)), { minLength: 1, maxLength: 30 });
  const every = [
    REQUEST.settings,
    decaying,
    { ...decaying, fusion: "rrf" },
    { ...decaying, fusion: "adaptive" },
  ] as const;
  test("a floor that is given is kept exactly: no hit is below, and nothing above is left out but equal texts", () => {
    fc.assert(
      fc.property(listed, fc.constantFrom(...every), unit, (list, settings, minScore) => {
        const candidates = list.map(([one], i): Candidate => ({ chunkId: String(i + 1), ...one }));
        const facts = list.map(([, hash, days], i): [string, CandidateDetails] => [
          String(i + 1),
          fact(`f${i}.md`, `${hash}`, days),
        ]);
        const asked = { settings, background: CHANCE, deduplicate: false };
        const all = order(candidates, facts, { ...asked, minScore: 0 }).ranked;
        const { ranked, leftOut } = order(candidates, facts, { ...asked, minScore });
        expect(ranked).toEqual(all.filter((hit) => hit.score >= minScore));
        for (const left of leftOut.values()) expect(left.stage === "floor" && left.score < minScore).toBe(true);
      }),
    );
  });

  test("adaptive: a hit's score and whether it passes depend on nothing else that is found", () => {
    // The floor of a recall is left out: it lets weak hits pass if another hit answers the message.
    const floors = fc.constantFrom<RankingRequest["minScore"]>("auto", 0, 0.2);
    fc.assert(
      fc.property(listed, floors, (list, minScore) => {
        const candidates = list.map(([one], i): Candidate => ({ chunkId: String(i + 1), ...one }));
        const facts = list.map(([, , days], i): [string, CandidateDetails] => [
          String(i + 1),
          fact(`f${i}.md`, `${i}`, days),
        ]);
        const settings = { ...decaying, fusion: "adaptive" as const };
        const shown = (some: readonly Candidate[]) =>
          order([...some], facts, { settings, minScore, background: CHANCE }).ranked.map((hit) => [
            hit.chunkId,
            // The score before the hit was lifted.
            hit.fusedScore * hit.decay,
          ]);
        const alone = new Map(candidates.flatMap((one) => shown([one])) as [string, number][]);
        expect(new Map(shown(candidates) as [string, number][])).toEqual(alone);
      }),
    );
  });
});

describe("the nearest hits of a question whose words tell little", () => {
  // Four texts share a common word with the question, and a fifth is the nearest by meaning.
  const candidates: Candidate[] = [
    ...["1", "2", "3", "4"].map((chunkId) => ({ chunkId, bm25: 4, matched: 3, similarity: 0.1 })),
    { chunkId: "5", similarity: 0.33 },
  ];
  const details = new Map(candidates.map(({ chunkId }) => [chunkId, fact(`${chunkId}.md`)]));
  const adaptive = { ...rankingRequest(0, "adaptive"), mode: "hybrid", background: CHANCE } as const;
  const placeOf5 = (request: Partial<RankingRequest> = {}) =>
    rank(candidates, details, { ...adaptive, ...request }).ranked.findIndex(({ chunkId }) => chunkId === "5") + 1;

  test("are among the first three, with the score of the hit that they pass", () => {
    const { ranked } = rank(candidates, details, adaptive);
    const lifted = ranked.filter(({ nearest }) => nearest);
    expect(lifted.map(({ chunkId }) => chunkId)).toEqual(["5"]);
    expect(placeOf5()).toBeLessThanOrEqual(3);
    expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  test.each([
    [
      "a model that does not tell texts apart",
      { background: { ...CHANCE, cosines: { mean: 0.1, deviation: 0.1, sensitivity: 0 } } },
    ],
    ["no known cosines", { background: { ...CHANCE, cosines: undefined } }],
    ["vectors without weight", { settings: { ...adaptive.settings, vectorWeight: 0, textWeight: 1 } }],
    ["a list of a period", { isListing: true, periods: [] }],
  ])("keep their place with %s", (_, request) => {
    expect(rank(candidates, details, { ...adaptive, ...request }).ranked.some(({ nearest }) => nearest)).toBe(false);
  });

  test("keep their place among several memories, whose models may differ", () => {
    const group = { candidates, mode: "hybrid", background: CHANCE } as const;
    const { ranked } = rankTogether([group, { ...group, candidates: [] }], details, adaptive);
    expect(ranked.some(({ nearest }) => nearest)).toBe(false);
  });
});
