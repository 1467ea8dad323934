import type { FusedHit } from "./fuse.ts";

/**
 * Drops hits below `minScore`, with two exceptions of the contract: when nothing passes, keyword-backed hits are returned
 * all the same; and the best keyword hit is never dropped, because an exact match of an error code scores at most the text
 * weight (0.3) when its meaning is far from the query's, which is below the default floor (0.35).
 *
 * @param hits best first; the order is kept.
 */
export function applyFloor(hits: readonly FusedHit[], minScore: number): FusedHit[] {
  if (!hits.some((hit) => hit.score >= minScore)) return hits.filter((hit) => (hit.textScore ?? 0) > 0);
  return hits.filter((hit) => hit.score >= minScore || hit.textScore === 1);
}
