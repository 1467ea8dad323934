/** Which chunks of a segment have a term and how often: `number << 8 | frequency` each, ascending. */
export type PostingList = Uint32Array;

/** Looking a chunk up in a list takes about as long as reading so many postings. */
export const LOOKUP = 16;
/** Of so many chunks with a score their numbers are listed; with more, going through all scores is as quick. */
const MAX_LISTED = 8192;

/**
 * A new threshold is picked once `remaining` has fallen to this share of its value at the last pick. A pick reads all scores: with one
 * before each of 64 common words, the picks took two thirds of the time.
 */
const PICK_AGAIN = 0.75;

/** One spelling of a concept, and where it is. */
export interface Gain {
  weight: number;
  /** What it adds to a chunk of the segment at most, by `greatestShare`: less than its weight, which no chunk gets. */
  most: number;
  list: PostingList;
}

/** Which chunks may become hits, how many are wanted, and what they must be better than. */
export interface Wanted {
  counts: (number: number) => boolean;
  limit: number;
  least: number;
}

/**
 * Adds up the scores of chunks, concept by concept, and prunes those that cannot become hits any more (MaxScore).
 *
 * @returns `scored`, the chunks that have a score; `unpruned`, those of them that can become hits
 */
export function addConcepts(
  scores: Float64Array,
  norms: Float64Array,
  concepts: readonly (readonly Gain[])[],
  wanted: Wanted,
): { scored: number[] | undefined; unpruned: number[] | undefined } {
  // The score of the last chunk that would be a hit so far; one that reaches it can become one.
  let threshold = wanted.least;
  // The most that the concepts still to come can add.
  const most = mostOfAll(concepts);
  let remaining = most;
  // A chunk is pruned when its score plus `remaining` is below the threshold. The threshold is at most the sum added so far, so nothing
  // can be pruned while `remaining` exceeds half of the total.
  let pickedAt = most / 2;
  // undefined: so many that they are not listed.
  let scored: number[] | undefined = [];
  // undefined: nothing is pruned yet.
  let unpruned: number[] | undefined;
  for (const gains of concepts) {
    const length = lengthOf(gains);
    const known = unpruned ?? scored;
    // When it is known what a hit must have, looking for what more it must have takes longer than it saves.
    if (wanted.least === 0 && remaining <= pickedAt && (known || length * 4 > scores.length)) {
      threshold = Math.max(threshold, pickBest(scores, known, { ...wanted, least: threshold }).threshold);
      pickedAt = remaining * PICK_AGAIN;
    }
    if (threshold > remaining) unpruned = above(scores, known, threshold - remaining);
    // Several spellings are added up for every chunk that has one, pruned or not.
    if (unpruned && (gains.length > 1 || unpruned.length * LOOKUP < length))
      addLookedUp(scores, norms, gains, unpruned);
    else {
      if (!unpruned) scored = withNew(scored, scores, gains);
      addConcept(scores, norms, gains, threshold - remaining);
    }
    remaining -= mostOf(gains);
  }
  return { scored, unpruned };
}

/** How many postings it has. */
export function lengthOf(gains: readonly Gain[]): number {
  return gains.reduce((sum, { list }) => sum + list.length, 0);
}

/** Of its spellings only the best counts. */
export function mostOf(gains: readonly Gain[]): number {
  return gains.reduce((greatest, { most }) => Math.max(greatest, most), 0);
}

/**
 * By the average length, which with a list's segment makes the norms. Of these themselves a list would keep what the cache of chunks has
 * let go of, uncounted: half a gigabyte after sixty searches of a million chunks.
 */
const KNOWN_SHARES = new WeakMap<PostingList, { averageLength: number; share: number }>();
/** Sums in another order differ in the last digits. */
const ROUNDING = 1 + 1e-12;

/** What all concepts together add to a chunk at most, with room for rounding that stays when concepts are subtracted. */
export function mostOfAll(concepts: readonly (readonly Gain[])[]): number {
  return concepts.reduce((sum, gains) => sum + mostOf(gains), 0) * ROUNDING;
}

/** The greatest share of its weight that a term adds to any chunk of the list, which is of one segment. */
export function greatestShare(list: PostingList, norms: Float64Array, averageLength: number): number {
  const known = KNOWN_SHARES.get(list);
  if (known?.averageLength === averageLength) return known.share;
  let greatest = 0;
  for (let i = 0; i < list.length; i++) {
    const posting = list[i] ?? 0;
    greatest = Math.max(greatest, gainOf(1, norms[posting >>> 8] ?? 0, posting & 255));
  }
  KNOWN_SHARES.set(list, { averageLength, share: greatest });
  return greatest;
}

/** The listed chunks and those that are about to have a score; undefined when they are too many. */
function withNew(scored: number[] | undefined, scores: Float64Array, gains: readonly Gain[]): number[] | undefined {
  return scored && scored.length + lengthOf(gains) <= MAX_LISTED ? [...scored, ...newOf(scores, gains)] : undefined;
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

/** How often a chunk has a term; 0 when it is not in the list. */
export function frequencyIn(list: PostingList, number: number): number {
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
export function gainOf(weight: number, norm: number, frequency: number): number {
  return weight * (1 - norm / (norm + frequency));
}

/**
 * Arrays that every call uses anew: scoring never waits in the middle. Making them each time gave the garbage collector a
 * third of a search's time.
 */
const BEST = { array: new Float64Array() };
const FOUND = { array: new Uint32Array() };

/** An array that is zeros as long as everybody leaves it so. */
export function zeros(scratch: { array: Float64Array }, size: number): Float64Array {
  if (scratch.array.length < size) scratch.array = new Float64Array(size);
  return scratch.array.subarray(0, size);
}

/** Adds what a concept is worth to the chunks that have it: of its spellings the best. */
function addConcept(scores: Float64Array, norms: Float64Array, gains: readonly Gain[], pruneBelow: number): void {
  const [only] = gains;
  if (gains.length === 1 && only) {
    addTerm(scores, norms, only, pruneBelow);
    return;
  }
  const best = zeros(BEST, scores.length);
  if (FOUND.array.length < scores.length) FOUND.array = new Uint32Array(scores.length);
  const found = FOUND.array;
  let count = 0;
  for (const { weight, list } of gains)
    for (let i = 0; i < list.length; i++) {
      const posting = list[i] ?? 0;
      const number = posting >>> 8;
      const gain = gainOf(weight, norms[number] ?? 0, posting & 255);
      const known = best[number] ?? 0;
      if (gain <= known) continue;
      if (known === 0) found[count++] = number;
      best[number] = gain;
    }
  for (let i = 0; i < count; i++) {
    const number = found[i] ?? 0;
    scores[number] = (scores[number] ?? 0) + (best[number] ?? 0);
    best[number] = 0;
  }
}

/** Adds what a term is worth to every chunk that has it and whose score is not below `pruneBelow`. */
function addTerm(scores: Float64Array, norms: Float64Array, { weight, list }: Gain, pruneBelow: number): void {
  // By index: an iterator takes ten times as long.
  for (let i = 0; i < list.length; i++) {
    const posting = list[i] ?? 0;
    const number = posting >>> 8;
    const score = scores[number] ?? 0;
    if (score < pruneBelow) continue;
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
  for (const number of numbers) scores[number] = (scores[number] ?? 0) + gainAt(gains, norms, number);
}

/** What a concept is worth to one chunk: looked up, of its spellings the best. */
export function gainAt(gains: readonly Gain[], norms: Float64Array, number: number): number {
  let best = 0;
  for (const { weight, list } of gains) {
    const frequency = frequencyIn(list, number);
    if (frequency > 0) best = Math.max(best, gainOf(weight, norms[number] ?? 0, frequency));
  }
  return best;
}

/** Of the chunks, or of these, the numbers of those that have at least so much. */
function above(scores: Float64Array, among: readonly number[] | undefined, least: number): number[] {
  if (among) return among.filter((number) => (scores[number] ?? 0) >= least);
  const found: number[] = [];
  for (let number = 0; number < scores.length; number++) if ((scores[number] ?? 0) >= least) found.push(number);
  return found;
}

/** The best of the chunks, or of these, and what another must have to be as good as the last of them. */
export function pickBest(
  scores: Float64Array,
  among: readonly number[] | undefined,
  { counts, limit, least }: Wanted,
): { picked: { number: number; score: number }[]; threshold: number } {
  let picked: { number: number; score: number }[] = [];
  let threshold = least;
  const cut = () => {
    picked.sort((a, b) => b.score - a.score || a.number - b.number);
    picked = picked.slice(0, limit);
    if (picked.length === limit) threshold = Math.max(threshold, picked.at(-1)?.score ?? 0);
  };
  const size = among?.length ?? scores.length;
  for (let i = 0; i < size; i++) {
    const number = among ? (among[i] ?? 0) : i;
    const score = scores[number] ?? 0;
    // Listed chunks are in no order: one that is as good as the last may come before it by its number.
    if (score <= least || score < threshold || (score === threshold && !among) || !counts(number)) continue;
    picked.push({ number, score });
    if (picked.length >= 4 * limit) cut();
  }
  cut();
  return { picked, threshold };
}
