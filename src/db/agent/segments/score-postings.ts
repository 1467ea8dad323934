import { B, K1 } from "../keyword/bm25.ts";
import {
  addConcepts,
  frequencyIn,
  type Gain,
  gainOf,
  greatestShare,
  type PostingList,
  pickBest,
  type Wanted,
  zeros,
} from "./add-concepts.ts";
import { scoresAbove, withRequired } from "./required-concepts.ts";

/**
 * The chunks of a segment, in parallel arrays; an entry's index is the chunk's number in the
 * posting lists.
 */
export interface SegmentChunks {
  /** Ids of the chunks, as distances from `firstChunk`. */
  readonly offsets: Uint32Array;
  readonly firstChunk: number;
  /** Lengths of the chunks in words, as BM25 counts them. */
  readonly lengths: Uint32Array;
  /** Sources of the chunks (SOURCE_NUMBER). */
  readonly sources: Uint8Array;
}

export interface WeighedTerm {
  /** The concept's number. Terms of one concept are alternatives; only the best counts. */
  readonly concept: number;
  /** The term's `fullGain`. */
  readonly weight: number;
}

export interface ScoredChunk {
  chunkId: number;
  score: number;
  /** For each term, whether the chunk has it. */
  found: boolean[];
}

/** The best chunks of all segments so far, best first. */
export interface BestChunks {
  /** The number of chunks that are wanted. */
  readonly limit: number;
  best: { chunkId: number; score: number }[];
}

/**
 * Scores the chunks of a segment by BM25, with the same formula in the same order as the SQL of
 * keyword-search.ts, and keeps the chunks that are among the best. The result is exact. The most
 * that the remaining terms could add decides which chunks can still become hits (MaxScore, Turtle
 * and Flood 1995). Once few chunks can, they are looked up in the long lists of common words.
 *
 * @param terms rarest first
 * @param postings one list per term, empty if no chunk has it
 */
export function scoreSegment(
  chunks: SegmentChunks,
  terms: readonly WeighedTerm[],
  postings: readonly PostingList[],
  { averageLength, sources }: { averageLength: number; sources: readonly number[] | undefined },
  into: BestChunks,
): void {
  const counts = (number: number) => !sources || sources.includes(chunks.sources[number] ?? 0);
  const { limit } = into;
  // A chunk must score above the last entry of a full list to get onto it.
  const least = into.best.length < limit ? 0 : (into.best.at(-1)?.score ?? 0);
  const norms = normsOf(chunks, averageLength);
  const concepts = conceptsOf(terms, postings, norms, averageLength);
  const few = withRequired(concepts, least)?.filter(counts);
  const picked = few
    ? scoresAbove(least, concepts, norms, few)
    : pickFromAll(concepts, norms, { counts, limit, least });
  if (picked.length === 0) return;
  const idOf = (number: number) => chunks.firstChunk + (chunks.offsets[number] ?? 0);
  into.best = [...into.best, ...picked.map(({ number, score }) => ({ chunkId: idOf(number), score }))]
    .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId)
    .slice(0, limit);
}

/** Returns the best of all chunks that have any concept. */
function pickFromAll(
  concepts: readonly (readonly Gain[])[],
  norms: Float64Array,
  wanted: Wanted,
): { number: number; score: number }[] {
  const scores = zeros(SCORES, norms.length);
  // undefined: any chunk may have a score.
  let scored: number[] | undefined;
  try {
    const added = addConcepts(scores, norms, concepts, wanted);
    scored = added.scored;
    return pickBest(scores, added.unpruned ?? scored, wanted).picked;
  } finally {
    // The next search, of any agent, uses the same array.
    if (scored) for (const number of scored) scores[number] = 0;
    else scores.fill(0);
  }
}

/**
 * Returns the gains of each concept in a segment, in the order of the concepts' first terms. Most
 * spellings occur in none of the segment's chunks, and in an index of several languages most stems.
 */
function conceptsOf(
  terms: readonly WeighedTerm[],
  postings: readonly PostingList[],
  norms: Float64Array,
  averageLength: number,
): Gain[][] {
  const concepts = new Map<number, Gain[]>();
  for (const [index, { concept, weight }] of terms.entries()) {
    const list = postings[index] ?? NONE;
    const gains = concepts.get(concept) ?? [];
    if (gains.length === 0) concepts.set(concept, gains);
    if (list.length > 0) gains.push({ weight, most: weight * greatestShare(list, norms, averageLength), list });
  }
  return [...concepts.values()].filter((gains) => gains.length > 0);
}

const NONE: PostingList = new Uint32Array();

/**
 * Returns the scores of some chunks of a segment, given by their numbers. Chunks without any of the
 * terms are left out.
 */
export function scoreChunks(
  chunks: SegmentChunks,
  terms: readonly WeighedTerm[],
  postings: readonly PostingList[],
  averageLength: number,
  numbers: readonly number[],
): ScoredChunk[] {
  const norms = normsOf(chunks, averageLength);
  // The concepts are added in the order of their first terms, because another order would change
  // the last digit of a sum.
  const concepts = [...Map.groupBy(terms.keys(), (index) => terms[index]?.concept).values()];
  const scored: ScoredChunk[] = [];
  for (const number of numbers) {
    const found = new Array<boolean>(terms.length).fill(false);
    let score = 0;
    for (const alternatives of concepts) {
      let best = 0;
      for (const index of alternatives) {
        const frequency = frequencyIn(postings[index] ?? NONE, number);
        if (frequency === 0) continue;
        found[index] = true;
        best = Math.max(best, gainOf(terms[index]?.weight ?? 0, norms[number] ?? 0, frequency));
      }
      score += best;
    }
    if (score > 0) scored.push({ chunkId: chunks.firstChunk + (chunks.offsets[number] ?? 0), score, found });
  }
  return scored;
}

/** Returns the number of a chunk in its segment; undefined when the chunk is not in the segment. */
export function numberOf({ firstChunk, offsets }: SegmentChunks, chunkId: number): number | undefined {
  let from = 0;
  let to = offsets.length - 1;
  while (from <= to) {
    const middle = (from + to) >>> 1;
    const id = firstChunk + (offsets[middle] ?? 0);
    if (id === chunkId) return middle;
    if (id < chunkId) from = middle + 1;
    else to = middle - 1;
  }
  return undefined;
}

/** The scores of a segment's chunks; all zeros except while a segment is scored. */
const SCORES = { array: new Float64Array() };

const KNOWN_NORMS = new WeakMap<SegmentChunks, { averageLength: number; norms: Float64Array }>();

/** Returns each chunk's part of the formula. It changes only when the index is counted again. */
function normsOf(chunks: SegmentChunks, averageLength: number): Float64Array {
  const known = KNOWN_NORMS.get(chunks);
  if (known?.averageLength === averageLength) return known.norms;
  const norms = Float64Array.from(chunks.lengths, (length) => K1 * (1 - B + (B * length) / averageLength));
  KNOWN_NORMS.set(chunks, { averageLength, norms });
  return norms;
}
