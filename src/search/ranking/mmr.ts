import { jaccard, wordSet } from "../words/word-set.ts";

/**
 * Orders hits so that each adds something to those before it: maximal marginal relevance (Carbonell, Goldstein 1998), next is
 * the hit with the largest λ · relevance − (1 − λ) · max similarity to a hit already chosen. Similarity is the Jaccard index
 * of word sets. Relevance is the score stretched to 0..1 over these hits: fused scores often lie within a tenth of each
 * other, and any similarity would outweigh them.
 *
 * @param hits best first; with λ = 1 the order stays
 */
export function diversify<T extends { score: number; text: string }>(hits: readonly T[], lambda: number): T[] {
  const scores = hits.map((hit) => hit.score);
  const [lowest, highest] = [Math.min(...scores), Math.max(...scores)];
  const range = highest - lowest;
  const left = hits.map((hit) => ({
    hit,
    words: wordSet(hit.text),
    relevance: range > 0 ? (hit.score - lowest) / range : 1,
    nearest: 0,
  }));
  const ordered: T[] = [];
  while (left.length > 0) {
    let best = 0;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (const [index, { relevance, nearest }] of left.entries()) {
      const value = lambda * relevance - (1 - lambda) * nearest;
      if (value > bestValue) [best, bestValue] = [index, value];
    }
    const [chosen] = left.splice(best, 1);
    if (!chosen) break;
    ordered.push(chosen.hit);
    for (const one of left) one.nearest = Math.max(one.nearest, jaccard(one.words, chosen.words));
  }
  return ordered;
}
