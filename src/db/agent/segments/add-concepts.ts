/**
 * The chunks of a segment that have a term, and how often: one posting `number << 8 | frequency`
 * for each chunk, ascending.
 */
export type PostingList = Uint32Array;

/** The cost of looking up a chunk in a list, in postings read. */
export const LOOKUP = 16;
/**
 * The most chunks with a score whose numbers are listed. With more, going through all scores is as
 * quick.
 */
const MAX_LISTED = 8192;

/**
 * A new threshold is picked once `remaining` has fallen to this share of its value at the last
 * pick. A pick reads all scores: with one pick before each of 64 common words, the picks took two
 * thirds of the time.
 */
const PICK_AGAIN = 0.75;

/** One spelling of a concept, with its posting list. */
export interface Gain {
  weight: number;
  /**
   * The most that the spelling adds to a chunk of the segment, from `greatestShare`. It is less
   * than the weight, which no chunk reaches.
   */
  most: number;
  list: PostingList;
}

/** Which chunks may become hits, how many hits are wanted, and which score a hit must exceed. */
export interface Wanted {
  counts: (number: number) => boolean;
  limit: number;
  least: number;
}

/**
 * Adds up the scores of chunks, concept by concept, and prunes the chunks that cannot become hits
 * any more (MaxScore).
 *
 * @returns `scored`, the chunks that have a score; `unpruned`, the scored chunks that can become
 * hits
 */
export function addConcepts(
  scores: Float64Array,
  norms: Float64Array,
  concepts: readonly (readonly Gain[])[],
  wanted: Wanted,
): { scored: number[] | undefined; unpruned: number[] | undefined } {
  // The score of the last chunk among the best so far; a chunk must reach it to become a hit.
  let threshold = wanted.least;
  // The most that all concepts can add; `remaining` is the part of the concepts that still follow.
  const most = mostOfAll(concepts);
  let remaining = most;
  // A chunk is pruned when its score plus `remaining` is below the threshold. The threshold is at
  // most the sum added so far, so nothing can be pruned while `remaining` exceeds half of the
  // total.
  let pickedAt = most / 2;
  // undefined when too many chunks have a score to be listed.
  let scored: number[] | undefined = [];
  // undefined while nothing is pruned.
  let unpruned: number[] | undefined;
  for (const gains of concepts) {
    const length = lengthOf(gains);
    const known = unpruned ?? scored;
    // If the least score of a hit is given, picking a higher threshold takes longer than it saves.
    if (wanted.least === 0 && remaining <= pickedAt && (known || length * 4 > scores.length)) {
      threshold = Math.max(threshold, pickBest(scores, known, { ...wanted, least: threshold }).threshold);
      pickedAt = remaining * PICK_AGAIN;
    }
    if (threshold > remaining) unpruned = above(scores, known, threshold - remaining);
    // A concept of several spellings is always looked up in the unpruned chunks, because
    // `addConcept` adds it up for every chunk that has a spelling, pruned or not.
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

/** Returns the number of postings of a concept. */
export function lengthOf(gains: readonly Gain[]): number {
  return gains.reduce((sum, { list }) => sum + list.length, 0);
}

/** Returns the most that a concept adds to a chunk: only its best spelling counts. */
export function mostOf(gains: readonly Gain[]): number {
  return gains.reduce((greatest, { most }) => Math.max(greatest, most), 0);
}

/**
 * The greatest shares by posting list, with the average length they were computed for. The average
 * length and the list's segment determine the norms. The key must not be the norms themselves: each
 * list would then keep norms alive that the cache of chunks has evicted, and no cache would count
 * them. That took half a gigabyte after sixty searches of a million chunks.
 */
const KNOWN_SHARES = new WeakMap<PostingList, { averageLength: number; share: number }>();
/** A margin for rounding: sums in another order differ in the last digits. */
const ROUNDING = 1 + 1e-12;

/**
 * Returns the most that all concepts together add to a chunk, with a margin for rounding that
 * remains when concepts are subtracted.
 */
export function mostOfAll(concepts: readonly (readonly Gain[])[]): number {
  return concepts.reduce((sum, gains) => sum + mostOf(gains), 0) * ROUNDING;
}

/**
 * Returns the greatest share of its weight that a term adds to any chunk of the list, which belongs
 * to one segment.
 */
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

/**
 * Returns the listed chunks and the chunks that are about to get a score; undefined when there are
 * too many.
 */
function withNew(scored: number[] | undefined, scores: Float64Array, gains: readonly Gain[]): number[] | undefined {
  return scored && scored.length + lengthOf(gains) <= MAX_LISTED ? [...scored, ...newOf(scores, gains)] : undefined;
}

/** Returns the chunks of these lists that have no score yet, each once. */
function newOf(scores: Float64Array, gains: readonly Gain[]): number[] {
  const found: number[] = [];
  for (const { list } of gains)
    for (let i = 0; i < list.length; i++) {
      const number = (list[i] ?? 0) >>> 8;
      if (scores[number] === 0) found.push(number);
    }
  return gains.length === 1 ? found : [...new Set(found)];
}

/** Returns how often a chunk has a term; 0 when the chunk is not in the list. */
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

/** Returns weight · tf / (tf + norm), written as in the SQL. */
export function gainOf(weight: number, norm: number, frequency: number): number {
  return weight * (1 - norm / (norm + frequency));
}

/**
 * Arrays that every call reuses, which is safe because scoring is never suspended in the middle.
 * Allocating them for each call made the garbage collector take a third of a search's time.
 */
const BEST = { array: new Float64Array() };
const FOUND = { array: new Uint32Array() };

/** Returns an array of zeros. Every user must set it back to zeros. */
export function zeros(scratch: { array: Float64Array }, size: number): Float64Array {
  if (scratch.array.length < size) scratch.array = new Float64Array(size);
  return scratch.array.subarray(0, size);
}

/**
 * Adds a concept's gain to the chunks that have it. If a chunk has several spellings, only the
 * spelling with the highest gain counts.
 */
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

/** Adds a term's gain to every chunk that has it and whose score is not below `pruneBelow`. */
function addTerm(scores: Float64Array, norms: Float64Array, { weight, list }: Gain, pruneBelow: number): void {
  // Loops by index, because an iterator takes ten times as long.
  for (let i = 0; i < list.length; i++) {
    const posting = list[i] ?? 0;
    const number = posting >>> 8;
    const score = scores[number] ?? 0;
    if (score < pruneBelow) continue;
    scores[number] = score + gainOf(weight, norms[number] ?? 0, posting & 255);
  }
}

/** Adds a concept's gain to these chunks only. */
function addLookedUp(
  scores: Float64Array,
  norms: Float64Array,
  gains: readonly Gain[],
  numbers: readonly number[],
): void {
  for (const number of numbers) scores[number] = (scores[number] ?? 0) + gainAt(gains, norms, number);
}

/**
 * Returns a concept's gain for one chunk, which it looks up in the posting lists: the highest gain
 * of the concept's spellings.
 */
export function gainAt(gains: readonly Gain[], norms: Float64Array, number: number): number {
  let best = 0;
  for (const { weight, list } of gains) {
    const frequency = frequencyIn(list, number);
    if (frequency > 0) best = Math.max(best, gainOf(weight, norms[number] ?? 0, frequency));
  }
  return best;
}

/**
 * Returns the numbers of the chunks whose score is at least `least`; only chunks in `among` if it
 * is given.
 */
function above(scores: Float64Array, among: readonly number[] | undefined, least: number): number[] {
  if (among) return among.filter((number) => (scores[number] ?? 0) >= least);
  const found: number[] = [];
  for (let number = 0; number < scores.length; number++) if ((scores[number] ?? 0) >= least) found.push(number);
  return found;
}

/**
 * Returns the best chunks, only from `among` if it is given, and the score that another chunk must
 * reach to be as good as the last of them.
 */
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
    // Chunks in `among` are in no order, so a chunk with the same score as the last may come before
    // it by its number.
    if (score <= least || score < threshold || (score === threshold && !among) || !counts(number)) continue;
    picked.push({ number, score });
    if (picked.length >= 4 * limit) cut();
  }
  cut();
  return { picked, threshold };
}
