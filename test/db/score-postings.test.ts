import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { B, K1 } from "../../src/db/agent/keyword/bm25.ts";
import { addConcepts } from "../../src/db/agent/segments/add-concepts.ts";
import { withRequired } from "../../src/db/agent/segments/required-concepts.ts";
import {
  type BestChunks,
  type SegmentChunks,
  scoreChunks,
  scoreSegment,
} from "../../src/db/agent/segments/score-postings.ts";

/**
 * Returns numbers from a seed, for segments too large for the generator to shrink one chunk at a
 * time.
 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Segment {
  chunks: SegmentChunks;
  postings: Uint32Array[];
}

function segmentOf(firstChunk: number, size: number, shares: readonly number[], random: () => number): Segment {
  const lengths = Uint32Array.from({ length: size }, () => 20 + Math.floor(random() * 200));
  const sources = Uint8Array.from({ length: size }, () => (random() < 0.8 ? 1 : 2));
  const postings = shares.map((share) => {
    const has = Array.from({ length: size }, (_, number) => number).filter(() => random() < share);
    return Uint32Array.from(has, (number) => (number << 8) | (1 + Math.floor(random() * 5)));
  });
  return {
    chunks: { firstChunk, offsets: Uint32Array.from({ length: size }, (_, n) => n), lengths, sources },
    postings,
  };
}

/**
 * Computes the formula chunk by chunk: takes the best of a concept's spellings, with concepts in
 * the order of their first spelling.
 */
function scoreOf({ chunks, postings }: Segment, terms: readonly { concept: number; weight: number }[], number: number) {
  const norm = K1 * (1 - B + (B * (chunks.lengths[number] ?? 0)) / 100);
  const concepts = new Map<number, number>();
  for (const [index, { concept, weight }] of terms.entries()) {
    const posting = postings[index]?.find((one) => one >>> 8 === number);
    const gain = posting === undefined ? 0 : weight * (1 - norm / (norm + (posting & 255)));
    concepts.set(concept, Math.max(concepts.get(concept) ?? 0, gain));
  }
  return [...concepts.values()].reduce((sum, gain) => sum + gain, 0);
}

const share = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0.001, max: 0.02, noNaN: true }),
  fc.double({ min: 0.2, max: 1, noNaN: true }),
);

test("the best of segments are those that scoring every chunk finds, however common the words", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e9 }),
      fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.record({ share, concept: fc.integer({ min: 0, max: 4 }) }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom<number[] | undefined>(undefined, [1], [2]),
      (seed, sizes, words, limit, sources) => {
        const random = randomOf(seed);
        const rarestFirst = words.toSorted((a, b) => a.share - b.share);
        const terms = rarestFirst.map(({ share, concept }) => ({ concept, weight: Math.log(2 + 1 / (share + 0.001)) }));
        let first = 1;
        const segments = sizes.map((size) => {
          const made = segmentOf(
            first,
            size,
            rarestFirst.map((word) => word.share),
            random,
          );
          first += size + 7;
          return made;
        });
        const into: BestChunks = { limit, best: [] };
        for (const { chunks, postings } of segments)
          scoreSegment(chunks, terms, postings, { averageLength: 100, sources }, into);
        const all = segments.flatMap((segment) =>
          Array.from({ length: segment.chunks.offsets.length }, (_, number) => ({
            chunkId: segment.chunks.firstChunk + number,
            score: scoreOf(segment, terms, number),
            source: segment.chunks.sources[number] ?? 0,
          })),
        );
        const right = all
          .filter(({ score, source }) => score > 0 && (!sources || sources.includes(source)))
          .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId)
          .slice(0, limit)
          .map(({ chunkId, score }) => ({ chunkId, score }));
        expect(into.best).toEqual(right);
        const [segment] = segments as [Segment];
        const ends = [0, segment.chunks.offsets.length - 1];
        const scored = scoreChunks(segment.chunks, terms, segment.postings, 100, ends);
        expect(scored.map(({ chunkId, score }) => ({ chunkId, score }))).toEqual(
          ends
            .map((number) => ({
              chunkId: segment.chunks.firstChunk + number,
              score: scoreOf(segment, terms, number),
            }))
            .filter(({ score }) => score > 0),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("a segment with more chunks met than are listed is scored as well", () => {
  const random = randomOf(7);
  const segment = segmentOf(1, 30_000, [0.01, 0.4, 0.9], random);
  const terms = [5, 1.2, 0.1].map((weight, concept) => ({ concept, weight }));
  for (const words of [[0, 1, 2], [1, 2], [2], [0, 2]]) {
    const of = (numbers: number[]) => ({
      chunks: segment.chunks,
      postings: numbers.map((n) => segment.postings[n] ?? new Uint32Array()),
    });
    const asked = words.map((n) => terms[n] as (typeof terms)[number]);
    const into: BestChunks = { limit: 24, best: [] };
    scoreSegment(segment.chunks, asked, of(words).postings, { averageLength: 100, sources: [1] }, into);
    const has = words.map((n) => new Map(Array.from(segment.postings[n] ?? [], (one) => [one >>> 8, one & 255])));
    const scores = Array.from({ length: 30_000 }, (_, number) => {
      const norm = K1 * (1 - B + (B * (segment.chunks.lengths[number] ?? 0)) / 100);
      const gains = asked.map(({ weight }, at) => {
        const frequency = has[at]?.get(number) ?? 0;
        return frequency === 0 ? 0 : weight * (1 - norm / (norm + frequency));
      });
      return { chunkId: 1 + number, score: gains.reduce((sum, gain) => sum + gain, 0) };
    });
    const right = scores
      .filter(({ score, chunkId }) => score > 0 && segment.chunks.sources[chunkId - 1] === 1)
      .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
    expect(into.best).toEqual(right.slice(0, 24));
  }
});

test("a common word prunes as many chunks when it has many spellings, of which only the best counts", () => {
  const size = 4000;
  const every = (step: number) => Uint32Array.from({ length: size / step }, (_, n) => ((n * step) << 8) | 5);
  const rare = { weight: 5, most: 5, list: every(100) };
  const spelling = { weight: 1.4, most: 1.4, list: every(4) };
  const norms = new Float64Array(size).fill(1);
  const wanted = { counts: () => true, limit: 10, least: 0 };
  const unprunedWith = (spellings: number) =>
    addConcepts(new Float64Array(size), norms, [[rare], Array(spellings).fill(spelling)], wanted).unpruned;
  expect(unprunedWith(1)).toHaveLength(40);
  expect(unprunedWith(7)).toEqual(unprunedWith(1));
});

test("only chunks that have what a hit must have are looked up", () => {
  const every = (step: number) => Uint32Array.from({ length: 4000 / step }, (_, n) => ((n * step) << 8) | 5);
  const rare = [{ weight: 5, most: 4, list: every(100) }];
  const second = [
    { weight: 3, most: 2, list: every(400) },
    { weight: 3, most: 2, list: every(200) },
  ];
  const common = [{ weight: 1, most: 0.5, list: every(1) }];
  const concepts = [rare, second, common];
  // Half of the chunks with the rare word have a spelling of the second concept.
  expect(withRequired(concepts, 5)).toHaveLength(20);
  expect(withRequired(concepts, 3)).toHaveLength(40);
  expect(withRequired(concepts, 2)).toBeUndefined();
  expect(withRequired(concepts, 7)).toEqual([]);
});

test("of chunks that are equally good, found by different words, those come first that were written first", () => {
  const size = 400;
  const chunks = {
    firstChunk: 1,
    offsets: Uint32Array.from({ length: size }, (_, n) => n),
    lengths: new Uint32Array(size).fill(100),
    sources: new Uint8Array(size).fill(1),
  };
  const half = (from: number) => Uint32Array.from({ length: size / 2 }, (_, n) => ((from + n) << 8) | 1);
  const terms = [0, 1].map((concept) => ({ concept, weight: 3 }));
  const into: BestChunks = { limit: 5, best: [] };
  scoreSegment(chunks, terms, [half(size / 2), half(0)], { averageLength: 100, sources: undefined }, into);
  expect(into.best.map(({ chunkId }) => chunkId)).toEqual([1, 2, 3, 4, 5]);
});

test("a chunk's score is the same to the last digit when it is asked for alone", () => {
  const postings = [[], [1], [1], [1], [1]].map((numbers) => Uint32Array.from(numbers, (frequency) => frequency));
  const chunks = {
    firstChunk: 1,
    offsets: Uint32Array.of(0),
    lengths: Uint32Array.of(100),
    sources: Uint8Array.of(1),
  };
  for (let round = 1; round <= 50; round++) {
    // The chunk does not contain the first concept's first spelling.
    const weights = [9, 0.1 * round, 0.7 / round, 0.3, 1.1];
    const terms = [0, 1, 2, 3, 0].map((concept, at) => ({ concept, weight: weights[at] ?? 0 }));
    const into: BestChunks = { limit: 1, best: [] };
    scoreSegment(chunks, terms, postings, { averageLength: 100, sources: undefined }, into);
    const [alone] = scoreChunks(chunks, terms, postings, 100, [0]);
    expect(alone?.score).toBe(into.best[0]?.score);
  }
});

test("a search that fails in the middle leaves none of its scores to the next", () => {
  const chunks = {
    firstChunk: 1,
    offsets: Uint32Array.of(0, 1),
    lengths: Uint32Array.of(100, 100),
    sources: Uint8Array.of(1, 1),
  };
  const terms = [{ concept: 0, weight: 3 }];
  const postings = [Uint32Array.of((0 << 8) | 1, (1 << 8) | 2)];
  const bestOf = (sources: readonly number[]) => {
    const into: BestChunks = { limit: 5, best: [] };
    scoreSegment(chunks, terms, postings, { averageLength: 100, sources }, into);
    return into.best;
  };
  const right = bestOf([1]);
  const failing = {
    includes: () => {
      throw new Error("in the middle");
    },
  } as unknown as number[];
  expect(() => bestOf(failing)).toThrow("in the middle");
  expect(bestOf([1])).toEqual(right);
});

test("a remembered posting list keeps nothing of chunks that are remembered no more", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const held = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const CHUNKS = 100_000;
  const remembered: Uint32Array[] = [];
  const search = () => {
    const list = Uint32Array.of((7 << 8) | 1, (9 << 8) | 2);
    const sizes = { offsets: new Uint32Array(CHUNKS), lengths: new Uint32Array(CHUNKS).fill(100) };
    const chunks: SegmentChunks = { firstChunk: 1, ...sizes, sources: new Uint8Array(CHUNKS).fill(1) };
    const into: BestChunks = { limit: 1, best: [] };
    scoreSegment(chunks, [{ concept: 1, weight: 1 }], [list], { averageLength: 100, sources: undefined }, into);
    remembered.push(list);
  };
  search();
  const before = held();
  for (let i = 0; i < 20; i++) search();
  // V8 returns the memory of arrays in a separate thread, on a busy machine later than the end of
  // the collection.
  await expect.poll(() => held() - before, { timeout: 20_000 }).toBeLessThan(4 * CHUNKS * 8);
  expect(remembered).toHaveLength(21);
});
