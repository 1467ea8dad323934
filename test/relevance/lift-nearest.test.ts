import { expect, test } from "vitest";
import { liftNearest } from "../../src/relevance/ranking/lift-nearest.ts";

interface Hit {
  name: string;
  score: number;
  fusedScore: number;
  vectorScore?: number;
  decay: number;
  named: boolean;
}

const hit = (name: string, score: number, vectorScore?: number, more: Partial<Hit> = {}): Hit => ({
  name,
  score,
  fusedScore: score,
  decay: 1,
  named: false,
  ...(vectorScore === undefined ? {} : { vectorScore }),
  ...more,
});
const names = (hits: readonly Hit[]) => hits.map((one) => one.name).join(" ");

const WEAK = [
  hit("word", 0.18, 0.3),
  hit("stem", 0.12),
  hit("other", 0.09, 0.1),
  hit("near", 0.05, 0.36),
  hit("nearest", 0.04, 0.41),
];

test("with low scores only, the two nearest hits follow the best one, with the score of the hit that they pass", () => {
  const lifted = liftNearest(WEAK);
  expect(names(lifted)).toBe("word nearest near stem other");
  expect(lifted.map(({ score }) => score)).toEqual([0.18, 0.12, 0.12, 0.12, 0.09]);
  expect(lifted.filter(({ nearest }) => nearest).map(({ name }) => name)).toEqual(["nearest", "near"]);
});

test("hits keep their order if one of them has a telling score, or its file is named", () => {
  const telling = [hit("telling", 0.1, 0.2, { fusedScore: 0.3 }), ...WEAK];
  expect(liftNearest(telling)).toEqual(telling);
  const named = [hit("named", 1, undefined, { fusedScore: 0, named: true }), ...WEAK];
  expect(liftNearest(named)).toEqual(named);
});

test("hits without cosines keep their order, and an old hit is less near", () => {
  const words = [hit("a", 0.1), hit("b", 0.08), hit("c", 0.05, 0)];
  expect(liftNearest(words)).toEqual(words);
  const old = WEAK.map((one) => (one.name === "nearest" ? { ...one, decay: 0.5 } : one));
  expect(names(liftNearest(old))).toBe("word near stem other nearest");
  expect(liftNearest([])).toEqual([]);
});
