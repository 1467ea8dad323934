/** One term of the query against the index: how rare it is, and which of the query's concepts it spells. */
export interface TermRarity {
  readonly concept: number;
  /** Share of the chunks that have it, 0..1. */
  readonly share: number;
  /** Its inverse document frequency as BM25 weighs it. */
  readonly idf: number;
}

/** What scores look like in this index when nothing is meant by them: the noise a hit has to stand out of. */
export interface Background {
  /** Chunks in the index. */
  readonly chunks: number;
  readonly terms: readonly TermRarity[];
  /** Cosines of the query with a sample of the chunks. */
  readonly cosines: { readonly mean: number; readonly deviation: number };
}

/** A keyword arm whose best hit stands this far out (in deviations) is at half of what it can gain. */
const HALF_GAIN = 12;
/** Weight of a keyword arm without any doubt, as a multiple of the configured one. */
const MAX_GAIN = 3.5;
/** No single search makes the vector arm count more or less than this. */
const VECTOR_GAIN = { least: 0.1, most: 9 };

/**
 * What the vector arm's weight is multiplied with: (z / E)². z is how many deviations the best cosine lies above the mean
 * of the index; E is what the best of as many random chunks would reach (expected maximum of n normal values, Cramér 1946,
 * §28.6). The square is the ratio of the surprises, −ln p being about z²/2. A model that does not know the language, or a
 * query that is like nothing, finds a best hit no better than chance, and 1 means just that.
 */
export function vectorGain(bestCosine: number, background: Background): number {
  const { cosines, chunks } = background;
  if (cosines.deviation < 1e-6) return 1;
  const z = Math.max(0, (bestCosine - cosines.mean) / cosines.deviation);
  return Math.min(VECTOR_GAIN.most, Math.max(VECTOR_GAIN.least, (z / expectedMaximum(chunks)) ** 2));
}

/**
 * What the text arm's weight is multiplied with: 3.5 · z² / (z² + 12²), the gain of Wiener's filter (signal power by signal and
 * noise power). z is how many deviations the best BM25 lies above that of a chunk that has each term by chance,
 * independently: mean Σ p·idf, variance Σ p(1 − p)·idf², an average chunk's one occurrence being worth idf. Words that are
 * everywhere stand out of nothing; the configured weight is reached at z = 7.6. In an index of n chunks no z exceeds √n, so
 * below 64 chunks the 12 shrinks with it.
 */
export function textGain(bestBm25: number, background: Background): number {
  let mean = 0;
  let variance = 0;
  for (const { share, idf } of commonestSpellings(background.terms)) {
    mean += share * idf;
    variance += share * (1 - share) * idf * idf;
  }
  const half = HALF_GAIN * Math.min(1, Math.sqrt(background.chunks / 64));
  const signal = Math.max(0, bestBm25 - mean) ** 2;
  // Written so that neither a tiny variance nor a tiny signal makes it infinite.
  return signal > 0 && variance > 0 ? MAX_GAIN / (1 + (half * half * variance) / signal) : 0;
}

/** The best cosine that as many random chunks as the index has would reach on average. */
export function cosineOfChance({ cosines, chunks }: Background): number {
  return cosines.mean + expectedMaximum(chunks) * cosines.deviation;
}

/** The largest of n independent standard normal values, on average, to the second order in 1 / ln n. */
function expectedMaximum(n: number): number {
  const leading = Math.sqrt(2 * Math.log(Math.max(3, n)));
  return leading - (Math.log(Math.log(Math.max(3, n))) + Math.log(4 * Math.PI)) / (2 * leading);
}

/** A concept is met as often as its commonest spelling. */
function commonestSpellings(terms: readonly TermRarity[]): TermRarity[] {
  const commonest = new Map<number, TermRarity>();
  for (const term of terms)
    if (term.share > (commonest.get(term.concept)?.share ?? -1)) commonest.set(term.concept, term);
  return [...commonest.values()];
}

/** The idf of the concepts that a chunk has, each counted once, by its rarest spelling there. */
export function matchedIdf(terms: readonly TermRarity[], found: readonly boolean[]): number {
  const best = new Map<number, number>();
  for (const [index, { concept, idf }] of terms.entries())
    if (found[index]) best.set(concept, Math.max(best.get(concept) ?? 0, idf));
  return [...best.values()].reduce((sum, idf) => sum + idf, 0);
}
