/** Okapi BM25's parameters for saturation and length normalisation, at Lucene's defaults. */
export const K1 = 1.2;
export const B = 0.75;

export interface KeywordHit {
  chunkId: string;
  /** The BM25 score: unbounded, greater is better. */
  score: number;
  /** For each term, whether the chunk has it. */
  found: boolean[];
}

/** Returns Lucene's form of Okapi's inverse document frequency, which is never negative. */
export function idf(df: number, chunks: number): number {
  // The counts come from different moments, so a term may seem to be in more chunks than there are.
  return Math.log(1 + (Math.max(chunks, df) - df + 0.5) / (df + 0.5));
}

/**
 * Returns the limit of a term's gain as its frequency grows: (k1 + 1) · idf · the term's own
 * weight.
 */
export function fullGain({ weight, df }: { weight: number; df: number }, chunks: number): number {
  return (K1 + 1) * weight * idf(df, chunks);
}

/**
 * The borders between the ranks of successive term frequencies. For one lexeme and weights of 1,
 * ts_rank is (sum of 1/j² for j = 1..tf) / 1.64493406685 (calc_rank_or in Postgres' tsrank.c). Each
 * border is half-way between two of these sums, so the position of a rank among the borders is the
 * exact term frequency. A tsvector keeps at most 255 positions of a lexeme.
 */
export const TF_THRESHOLDS: readonly number[] = tfThresholds(255);

function tfThresholds(maxTf: number): number[] {
  const thresholds: number[] = [];
  for (let tf = 1; tf <= maxTf; tf++) thresholds.push((rankOfFrequency(tf - 1) + rankOfFrequency(tf)) / 2);
  return thresholds;
}

/** Returns the ts_rank of a lexeme that occurs this often. */
export function rankOfFrequency(frequency: number): number {
  let sum = 0;
  for (let j = 1; j <= frequency; j++) sum += 1 / (j * j);
  return sum / 1.64493406685;
}

/**
 * Compares two ids. Ids are bigint as text without leading zeros, so the shorter one is smaller.
 */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/**
 * Returns the best hits of two lists, best first, ties by id. If a chunk is in both lists, the
 * first list's hit counts.
 */
export function mergeHits(hits: readonly KeywordHit[], others: readonly KeywordHit[], limit: number): KeywordHit[] {
  const merged = new Map([...others, ...hits].map((hit) => [hit.chunkId, hit]));
  return [...merged.values()].sort((a, b) => b.score - a.score || compareIds(a.chunkId, b.chunkId)).slice(0, limit);
}
