import { B, K1 } from "./bm25.ts";

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

/** Which chunks of a segment have a term and how often: `number << 8 | frequency` each, ascending. */
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

/** Looking a chunk up in a list takes about as long as reading so many postings. */
const LOOKUP = 16;
/** With more chunks than this all scores are gone through, which is as quick. */
const MAX_MET = 8192;

/**
 * Scores the chunks of a segment by BM25, the same formula in the same order as the SQL of keyword-search.ts, and keeps those
 * that are among the best. Exact: what the terms still to come could at most add decides which chunks can still become hits
 * (MaxScore, Turtle and Flood 1995), and once these are few they are looked up in the long lists of common words.
 *
 * @param terms rarest first
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
  const scores = zeros(SCORES, norms.length);
  const counts = (number: number) => !sources || sources.includes(chunks.sources[number] ?? 0);
  const { limit } = into;
  // What is no better than the last of a full list cannot get onto it.
  const least = into.best.length < limit ? 0 : (into.best.at(-1)?.score ?? 0);
  const { met, hopeful } = addConcepts(scores, norms, conceptsOf(terms, postings), { counts, limit, least });
  const { picked } = pickBest(scores, hopeful ?? met, { counts, limit, least });
  const chunkIds = picked.map(({ number, score }) => ({
    chunkId: chunks.firstChunk + (chunks.offsets[number] ?? 0),
    score,
  }));
  into.best = [...into.best, ...chunkIds].sort((a, b) => b.score - a.score || a.chunkId - b.chunkId).slice(0, limit);
  if (met) for (const number of met) scores[number] = 0;
  else scores.fill(0);
}

/** Which chunks may become hits, how many are wanted, and what they must be better than. */
interface Wanted {
  counts: (number: number) => boolean;
  limit: number;
  least: number;
}

/** @returns `met`, the chunks that have a score; `hopeful`, of these the ones that no other can pass any more */
function addConcepts(
  scores: Float64Array,
  norms: Float64Array,
  concepts: readonly (readonly Gain[])[],
  wanted: Wanted,
): { met: number[] | undefined; hopeful: number[] | undefined } {
  // What stays below as many as are wanted is no hit; one that is as good as the last of those can be.
  let bar = wanted.least;
  let toCome = totalWeight(concepts.flat());
  // undefined: so many that they are not listed.
  let met: number[] | undefined = [];
  // undefined: any chunk can still become a hit.
  let hopeful: number[] | undefined;
  for (const gains of concepts) {
    const length = gains.reduce((sum, { list }) => sum + list.length, 0);
    const known = hopeful ?? met;
    if (known || length * 4 > scores.length)
      bar = Math.max(bar, pickBest(scores, known, { ...wanted, least: bar }).bar);
    if (bar > toCome) hopeful = above(scores, known, bar - toCome);
    // Several spellings are added up for every chunk that has one, hopeful or not.
    if (hopeful && (gains.length > 1 || hopeful.length * LOOKUP < length)) addLookedUp(scores, norms, gains, hopeful);
    else {
      if (!hopeful) met = met && met.length + length <= MAX_MET ? [...met, ...newOf(scores, gains)] : undefined;
      addConcept(scores, norms, gains, bar - toCome);
    }
    toCome -= totalWeight(gains);
  }
  return { met, hopeful };
}

function totalWeight(gains: readonly Gain[]): number {
  return gains.reduce((sum, { weight }) => sum + weight, 0);
}

function conceptsOf(terms: readonly WeighedTerm[], postings: readonly PostingList[]): Gain[][] {
  const concepts = Map.groupBy(terms.keys(), (index) => terms[index]?.concept);
  return [...concepts.values()].map((alternatives) =>
    alternatives.map((index) => ({ weight: terms[index]?.weight ?? 0, list: postings[index] ?? NONE })),
  );
}

/** The chunks of these lists that have no score yet, each once. */
function newOf(scores: Float64Array, gains: readonly Gain[]): number[] {
  const found: number[] = [];
  for (const { list } of gains)
    for (let i = 0; i < list.length; i++) {
      const number = (list[i] ?? 0) >>> 8;
      if (scores[number] === 0) found.push(number);
    }
  return gains.length === 1 ? found : [...new Set(found)];
}

const NONE: PostingList = new Uint32Array();

/** One spelling of a concept: what finding it is worth at most, and where it is. */
interface Gain {
  weight: number;
  list: PostingList;
}

/** The scores of some chunks of a segment, given by their numbers. */
export function scoreChunks(
  chunks: SegmentChunks,
  terms: readonly WeighedTerm[],
  postings: readonly PostingList[],
  averageLength: number,
  numbers: readonly number[],
): ScoredChunk[] {
  const norms = normsOf(chunks, averageLength);
  return numbers.map((number) => {
    const gains = new Map<number, number>();
    const found = terms.map(({ concept, weight }, index) => {
      const frequency = frequencyIn(postings[index] ?? NONE, number);
      if (frequency > 0)
        gains.set(concept, Math.max(gains.get(concept) ?? 0, gainOf(weight, norms[number] ?? 0, frequency)));
      return frequency > 0;
    });
    const score = [...gains.values()].reduce((sum, gain) => sum + gain, 0);
    return { chunkId: chunks.firstChunk + (chunks.offsets[number] ?? 0), score, found };
  });
}

/** How often a chunk has a term; 0 when it is not in the list. */
function frequencyIn(list: PostingList, number: number): number {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((list[middle] ?? 0) >>> 8 < number) from = middle + 1;
    else to = middle;
  }
  const posting = list[from] ?? 0;
  return from < list.length && posting >>> 8 === number ? posting & 255 : 0;
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

/** The same for who leaves them as zeros. */
function zeros(scratch: { array: Float64Array }, size: number): Float64Array {
  if (scratch.array.length < size) scratch.array = new Float64Array(size);
  return scratch.array.subarray(0, size);
}

function zeroed(scratch: { array: Float64Array }, size: number): Float64Array {
  return zeros(scratch, size).fill(0);
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

/** Adds what a concept is worth to the chunks that have it: of its spellings the best. */
function addConcept(scores: Float64Array, norms: Float64Array, gains: readonly Gain[], hopeless: number): void {
  const [only] = gains;
  if (gains.length === 1 && only) {
    addTerm(scores, norms, only, hopeless);
    return;
  }
  const best = zeroed(BEST, scores.length);
  for (const gain of gains) {
    const own = zeroed(OTHER, scores.length);
    addTerm(own, norms, gain, 0);
    for (let number = 0; number < best.length; number++)
      if ((own[number] ?? 0) > (best[number] ?? 0)) best[number] = own[number] ?? 0;
  }
  for (let number = 0; number < best.length; number++) scores[number] = (scores[number] ?? 0) + (best[number] ?? 0);
}

/** Adds what a term is worth to every chunk that has it and whose score is not below `hopeless`. */
function addTerm(scores: Float64Array, norms: Float64Array, { weight, list }: Gain, hopeless: number): void {
  // By index: an iterator takes ten times as long.
  for (let i = 0; i < list.length; i++) {
    const posting = list[i] ?? 0;
    const number = posting >>> 8;
    const score = scores[number] ?? 0;
    if (score < hopeless) continue;
    scores[number] = score + gainOf(weight, norms[number] ?? 0, posting & 255);
  }
}

/** `addConcept` for a few chunks alone. */
function addLookedUp(
  scores: Float64Array,
  norms: Float64Array,
  gains: readonly Gain[],
  numbers: readonly number[],
): void {
  for (const number of numbers) {
    let best = 0;
    for (const { weight, list } of gains) {
      const frequency = frequencyIn(list, number);
      if (frequency > 0) best = Math.max(best, gainOf(weight, norms[number] ?? 0, frequency));
    }
    scores[number] = (scores[number] ?? 0) + best;
  }
}

/** Of the chunks, or of these, the numbers of those that have at least so much. */
function above(scores: Float64Array, among: readonly number[] | undefined, least: number): number[] {
  if (among) return among.filter((number) => (scores[number] ?? 0) >= least);
  const found: number[] = [];
  for (let number = 0; number < scores.length; number++) if ((scores[number] ?? 0) >= least) found.push(number);
  return found;
}

/** The best of the chunks, or of these, and what another must have to be as good as the last of them. */
function pickBest(
  scores: Float64Array,
  among: readonly number[] | undefined,
  { counts, limit, least }: Wanted,
): { picked: { number: number; score: number }[]; bar: number } {
  let picked: { number: number; score: number }[] = [];
  let bar = least;
  const cut = () => {
    picked.sort((a, b) => b.score - a.score || a.number - b.number);
    picked = picked.slice(0, limit);
    if (picked.length === limit) bar = Math.max(bar, picked.at(-1)?.score ?? 0);
  };
  const size = among?.length ?? scores.length;
  for (let i = 0; i < size; i++) {
    const number = among ? (among[i] ?? 0) : i;
    const score = scores[number] ?? 0;
    if (score <= bar || !counts(number)) continue;
    picked.push({ number, score });
    if (picked.length >= 4 * limit) cut();
  }
  cut();
  return { picked, bar };
}
