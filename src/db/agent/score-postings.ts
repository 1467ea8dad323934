import { B, K1, rankOfFrequency, TF_THRESHOLDS } from "./bm25.ts";

/** The chunks of a segment, in arrays of one entry each; an entry's index is the chunk's number in the posting lists. */
export interface SegmentChunks {
  /** Ids, as distances from `firstChunk`. */
  readonly offsets: Uint32Array;
  readonly firstChunk: number;
  /** In words, as BM25 counts them. */
  readonly lengths: Uint32Array;
  /** SOURCE_NUMBER. */
  readonly sources: Uint8Array;
}

/** Which chunks of a segment have a term and how often: `number << 8 | frequency` each, in no order. */
export type PostingList = Uint32Array;

export interface WeighedTerm {
  /** Terms of one concept are alternatives, of which the best counts. */
  readonly concept: number;
  /** `fullGain` of it. */
  readonly weight: number;
}

export interface ScoredChunk {
  chunkId: number;
  score: number;
  /** Which of the terms the chunk has. */
  found: boolean[];
}

/** The best chunks of any segment so far, best first. */
export interface BestChunks {
  /** How many are wanted. */
  readonly limit: number;
  best: { chunkId: number; score: number }[];
}

/**
 * Scores every chunk of a segment by BM25, the same formula in the same order as the SQL of keyword-search.ts, and keeps those
 * that are among the best. A posting costs 11 ns, one that is passed over less than half of it:
 * 1.3 ms of 120,000 with common words.
 *
 * @param terms rarest first: what the common ones add to most chunks does not matter by then
 * @param postings one list a term, empty where no chunk has it
 */
export function scoreSegment(
  chunks: SegmentChunks,
  terms: readonly WeighedTerm[],
  postings: readonly PostingList[],
  { averageLength, sources }: { averageLength: number; sources: readonly number[] | undefined },
  into: BestChunks,
): void {
  const norms = normsOf(chunks, averageLength);
  const scores = zeroed(SCORES, norms.length);
  const concepts = Map.groupBy(terms.keys(), (index) => terms[index]?.concept);
  // What is no better than the last of a full list cannot get onto it, nor what cannot become better by the terms to come.
  const bar = into.best.length < into.limit ? 0 : (into.best.at(-1)?.score ?? 0);
  let toCome = 0;
  for (const { weight } of terms) toCome += weight;
  for (const alternatives of concepts.values()) {
    addConcept(scores, norms, terms, postings, alternatives, bar - toCome);
    for (const index of alternatives) toCome -= terms[index]?.weight ?? 0;
  }
  const picked = pickBest(chunks, scores, sources, into).map(({ number, score }) => ({
    chunkId: chunks.firstChunk + (chunks.offsets[number] ?? 0),
    score,
  }));
  into.best = [...into.best, ...picked].sort((a, b) => b.score - a.score || a.chunkId - b.chunkId).slice(0, into.limit);
}

const NONE: PostingList = new Uint32Array();

/** The scores of some chunks of a segment, given by their numbers. */
export function scoreChunks(
  chunks: SegmentChunks,
  terms: readonly WeighedTerm[],
  postings: readonly PostingList[],
  averageLength: number,
  numbers: readonly number[],
): ScoredChunk[] {
  if (numbers.length === 0) return [];
  const norms = normsOf(chunks, averageLength);
  const places = zeroed(OTHER, norms.length);
  for (const [place, number] of numbers.entries()) places[number] = place + 1;
  const gains = numbers.map(() => new Map<number, number>());
  const found = numbers.map(() => terms.map(() => false));
  for (const [index, { concept, weight }] of terms.entries()) {
    const list = postings[index] ?? NONE;
    // By index: an iterator takes ten times as long.
    for (let i = 0; i < list.length; i++) {
      const posting = list[i] ?? 0;
      const number = posting >>> 8;
      const place = places[number] ?? 0;
      if (place === 0) continue;
      const ofChunk = gains[place - 1] ?? new Map();
      (found[place - 1] ?? [])[index] = true;
      ofChunk.set(concept, Math.max(ofChunk.get(concept) ?? 0, gainOf(weight, norms[number] ?? 0, posting & 255)));
    }
  }
  return numbers.map((number, place) => ({
    chunkId: chunks.firstChunk + (chunks.offsets[number] ?? 0),
    score: [...(gains[place]?.values() ?? [])].reduce((sum, gain) => sum + gain, 0),
    found: found[place] ?? [],
  }));
}

/** weight · tf / (tf + norm), written as the SQL does. */
function gainOf(weight: number, norm: number, frequency: number): number {
  return weight * (1 - norm / (norm + frequency));
}

/** The number of a chunk in its segment; undefined when it is not in it. */
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

/**
 * Arrays that every call uses anew: scoring never waits in the middle. Making them each time gave the garbage collector a
 * third of a search's time.
 */
const SCORES = { array: new Float64Array() };
const OTHER = { array: new Float64Array() };
const BEST = { array: new Float64Array() };

function zeroed(scratch: { array: Float64Array }, size: number): Float64Array {
  if (scratch.array.length < size) scratch.array = new Float64Array(size);
  return scratch.array.subarray(0, size).fill(0);
}

const KNOWN_NORMS = new WeakMap<SegmentChunks, { averageLength: number; norms: Float64Array }>();

/** The part of the formula that is a chunk's own, which changes only when the index is counted anew. */
function normsOf(chunks: SegmentChunks, averageLength: number): Float64Array {
  const known = KNOWN_NORMS.get(chunks);
  if (known?.averageLength === averageLength) return known.norms;
  const norms = Float64Array.from(chunks.lengths, (length) => K1 * (1 - B + (B * length) / averageLength));
  KNOWN_NORMS.set(chunks, { averageLength, norms });
  return norms;
}

function addConcept(
  scores: Float64Array,
  norms: Float64Array,
  terms: readonly WeighedTerm[],
  postings: readonly PostingList[],
  alternatives: readonly number[],
  hopeless: number,
): void {
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) {
    addTerm(scores, norms, terms[only]?.weight ?? 0, postings[only], hopeless);
    return;
  }
  const best = zeroed(BEST, scores.length);
  for (const index of alternatives) {
    const gains = zeroed(OTHER, scores.length);
    addTerm(gains, norms, terms[index]?.weight ?? 0, postings[index], 0);
    for (let number = 0; number < best.length; number++)
      if ((gains[number] ?? 0) > (best[number] ?? 0)) best[number] = gains[number] ?? 0;
  }
  for (let number = 0; number < best.length; number++) scores[number] = (scores[number] ?? 0) + (best[number] ?? 0);
}

/** Adds what a term is worth to every chunk that has it and whose score is not below `hopeless`. */
function addTerm(
  scores: Float64Array,
  norms: Float64Array,
  weight: number,
  postings: PostingList | undefined,
  hopeless: number,
): void {
  if (!postings) return;
  for (let i = 0; i < postings.length; i++) {
    const posting = postings[i] ?? 0;
    const number = posting >>> 8;
    const score = scores[number] ?? 0;
    if (score < hopeless) continue;
    scores[number] = score + gainOf(weight, norms[number] ?? 0, posting & 255);
  }
}

function pickBest(
  chunks: SegmentChunks,
  scores: Float64Array,
  sources: readonly number[] | undefined,
  { limit, best }: BestChunks,
): { number: number; score: number }[] {
  let picked: { number: number; score: number }[] = [];
  let bar = best.length < limit ? 0 : (best.at(-1)?.score ?? 0);
  const cut = () => {
    picked.sort((a, b) => b.score - a.score || a.number - b.number);
    picked = picked.slice(0, limit);
    if (picked.length === limit) bar = Math.max(bar, picked.at(-1)?.score ?? 0);
  };
  for (let number = 0; number < scores.length; number++) {
    const score = scores[number] ?? 0;
    if (score <= bar || (sources && !sources.includes(chunks.sources[number] ?? 0))) continue;
    picked.push({ number, score });
    if (picked.length >= 4 * limit) cut();
  }
  cut();
  return picked;
}

const RANKS = Float64Array.from({ length: 256 }, (_, frequency) => rankOfFrequency(frequency));

/**
 * One list for all lexemes that begin alike, with the frequency that ts_rank has for a prefix: it adds up the sums of each
 * lexeme (calc_rank_or in Postgres' tsrank.c).
 */
export function joinPostings(lists: readonly PostingList[]): PostingList {
  const [only] = lists;
  if (lists.length <= 1) return only ?? new Uint32Array();
  let size = 0;
  for (const list of lists) for (let i = 0; i < list.length; i++) size = Math.max(size, ((list[i] ?? 0) >>> 8) + 1);
  // An array: a map of chunks took up to 14 ms for one segment, and a process that has just started joins those of all.
  const sums = zeroed(OTHER, size);
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      const posting = list[i] ?? 0;
      sums[posting >>> 8] = (sums[posting >>> 8] ?? 0) + (RANKS[posting & 255] ?? 0);
    }
  const joined = new Uint32Array(size);
  let length = 0;
  for (let number = 0; number < size; number++)
    if (sums[number]) joined[length++] = (number << 8) | frequencyOf(sums[number] ?? 0);
  return joined.slice(0, length);
}

/** How many of the thresholds are not above a rank, as `width_bucket` has it. */
function frequencyOf(rank: number): number {
  let from = 0;
  let to = TF_THRESHOLDS.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((TF_THRESHOLDS[middle] ?? 0) <= rank) from = middle + 1;
    else to = middle;
  }
  return from;
}
