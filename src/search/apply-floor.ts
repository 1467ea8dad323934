import type { FusedHit } from "./fuse.ts";

/**
 * Drops hits below `minScore`, with three exceptions. Of the contract: when nothing passes, keyword-backed hits are returned
 * all the same; and the best keyword hit is never dropped, because an exact match of an error code scores at most the text
 * weight (0.3) when its meaning is far from the query's, which is below the default floor (0.35). And a hit is kept whose
 * similarity is above what chance gives: how high cosines are is the model's habit, and a right answer of a small model
 * often has 0.25.
 *
 * @param hits best first; the order is kept.
 * @param chance the best cosine that as many random chunks would reach; undefined when that is not known
 */
export function applyFloor(hits: readonly FusedHit[], minScore: number, chance = Number.POSITIVE_INFINITY): FusedHit[] {
  const standsOut = (hit: FusedHit) => hit.score >= minScore || (hit.vectorScore ?? -1) > chance;
  if (!hits.some(standsOut)) return hits.filter((hit) => (hit.textScore ?? 0) > 0);
  return hits.filter((hit) => standsOut(hit) || hit.textScore === 1);
}
