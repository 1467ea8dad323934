/** Okapi BM25's saturation and length normalisation, at Lucene's defaults. */
export const K1 = 1.2;
export const B = 0.75;

export interface KeywordHit {
  chunkId: string;
  /** BM25: unbounded, greater is better. */
  score: number;
  /** Which of the terms the chunk has. */
  found: boolean[];
}

/** Lucene's form of Okapi's inverse document frequency, never negative. */
export function idf(df: number, chunks: number): number {
  // Counts are from different moments, so a term may seem to be in more chunks than there are.
  return Math.log(1 + (Math.max(chunks, df) - df + 0.5) / (df + 0.5));
}

/** What a term is worth where it occurs for ever: (k1 + 1) · idf · the term's own weight. */
export function fullGain({ weight, df }: { weight: number; df: number }, chunks: number): number {
  return (K1 + 1) * weight * idf(df, chunks);
}

/**
 * For one lexeme and weights of 1, ts_rank is (sum of 1/j² for j = 1..tf) / 1.64493406685 (calc_rank_or in Postgres'
 * tsrank.c), so its place among these sums, taken half-way between two, is the exact term frequency. A tsvector keeps at
 * most 255 positions of a lexeme.
 */
export const TF_THRESHOLDS: readonly number[] = tfThresholds(255);

function tfThresholds(maxTf: number): number[] {
  const thresholds: number[] = [];
  for (let tf = 1; tf <= maxTf; tf++) thresholds.push((rankOfFrequency(tf - 1) + rankOfFrequency(tf)) / 2);
  return thresholds;
}

/** What ts_rank says of a lexeme that occurs so often. */
export function rankOfFrequency(frequency: number): number {
  let sum = 0;
  for (let j = 1; j <= frequency; j++) sum += 1 / (j * j);
  return sum / 1.64493406685;
}

/** Ids are bigint as text without leading zeros, so the shorter is the smaller. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** The best hits of two lists, best first, ties by id; of a chunk that is in both, the first list's. */
export function mergeHits(hits: readonly KeywordHit[], others: readonly KeywordHit[], limit: number): KeywordHit[] {
  const merged = new Map([...others, ...hits].map((hit) => [hit.chunkId, hit]));
  return [...merged.values()].sort((a, b) => b.score - a.score || compareIds(a.chunkId, b.chunkId)).slice(0, limit);
}
