import { describe, expect, test } from "vitest";
import { isCertain, isLikely } from "../../src/relevance/ranking/certainty.ts";
import type { Background } from "../../src/relevance/ranking/evidence.ts";
import type { Candidate } from "../../src/relevance/ranking/fuse.ts";
import { type CandidateDetails, type RankingRequest, rank } from "../../src/relevance/ranking/rank.ts";
import { RANKED_AT, rankingRequest } from "../support/ranking-request.ts";

const NOW = RANKED_AT;
const REQUEST = rankingRequest("auto", "adaptive");
const CHANCE: Background = { chunks: 100, wanted: 7, cosines: { mean: 0.1, deviation: 0.1, sensitivity: 1.4 } };

function ranked(
  candidates: Candidate[],
  request: Partial<RankingRequest> = {},
  background: Background | undefined = CHANCE,
) {
  const details = new Map<string, CandidateDetails>(
    candidates.map(({ chunkId }) => [chunkId, { path: `${chunkId}.md`, hash: chunkId, changedAt: NOW }]),
  );
  return rank(candidates, details, { ...REQUEST, background, ...request });
}

describe("a question's hits", () => {
  test("are certain if one stands out of chance, and not if all are as near as chance brings them", () => {
    expect(isCertain(ranked([{ chunkId: "1", similarity: 0.6 }]).ranked)).toBe(true);
    const weak: Candidate[] = [
      { chunkId: "1", similarity: 0.26 },
      { chunkId: "2", bm25: 1, matched: 1, similarity: 0.2 },
    ];
    expect(ranked(weak).ranked).not.toEqual([]);
    expect(isCertain(ranked(weak).ranked)).toBe(false);
    expect(isCertain(ranked([...weak, { chunkId: "3", similarity: 0.6 }]).ranked)).toBe(true);
  });

  test("are certain if one has all words of the question, or its file is named, however common the words are", () => {
    expect(isCertain(ranked([{ chunkId: "1", bm25: 0.4, matched: 7 }]).ranked)).toBe(true);
    const named = [{ path: "1.md", firstChunkId: "1" }];
    expect(isCertain(ranked([{ chunkId: "1", similarity: 0.1 }], { named }).ranked)).toBe(true);
  });

  test("are certain if a reranker takes one for an answer", () => {
    const weak = { score: 0.05, named: false, standsOut: false };
    expect(isCertain([weak])).toBe(false);
    expect(isCertain([{ ...weak, rerankScore: 0.8 }])).toBe(true);
  });

  test("in an index too small to tell chance, are certain if one has words of the question or is likely", () => {
    const small = (candidate: Candidate) => ranked([candidate], { background: undefined }).ranked;
    expect(isCertain(small({ chunkId: "1", similarity: 0.2 }))).toBe(false);
    expect(isCertain(small({ chunkId: "1", similarity: 0.2, bm25: 1, matched: 1 }))).toBe(true);
    expect(isCertain(small({ chunkId: "1", similarity: 0.9 }))).toBe(true);
  });

  test("a recall that nobody asked for is only certain of a likely hit", () => {
    expect(isLikely([{ score: 0.49 }, { score: 0.2 }])).toBe(false);
    expect(isLikely([{ score: 0.2 }, { score: 0.5 }])).toBe(true);
  });
});

describe("a question whose hits all lack evidence", () => {
  const far: Candidate[] = ["1", "2", "3", "4", "5"].map((chunkId, at) => ({ chunkId, similarity: 0.14 - at / 200 }));

  test("gets the three nearest, without texts that are as far as any", () => {
    const { ranked: nearest, leftOut } = ranked([...far, { chunkId: "6", similarity: 0.05 }], { showsNearest: true });
    expect(nearest.map(({ chunkId }) => chunkId)).toEqual(["1", "2", "3"]);
    expect(isCertain(nearest)).toBe(false);
    expect([...leftOut.keys()].toSorted()).toEqual(["4", "5", "6"]);
    expect(ranked([{ chunkId: "6", similarity: 0.05 }], { showsNearest: true }).ranked).toEqual([]);
  });

  test("gets none if the search does not ask for the nearest, or names a floor", () => {
    expect(ranked(far).ranked).toEqual([]);
    expect(ranked(far, { showsNearest: true, minScore: 0.5 }).ranked).toEqual([]);
    expect(ranked(far, { minScore: "recall" }).ranked).toEqual([]);
  });
});
