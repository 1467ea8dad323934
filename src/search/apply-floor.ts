import { type Background, isRareMatch, type Scored } from "./evidence.ts";
import type { FusedHit } from "./fuse.ts";

/** Below it a random chunk would have done as well. */
const CHANCE = 1;

/**
 * Drops hits for which nothing speaks but chance: their evidence is below what the best of as many random chunks has. What has
 * words as rare as that is kept in any case, such as an error code in a long question. Without a background nothing is dropped:
 * there are too few chunks to choose from.
 *
 * @param hits best first; the order is kept
 * @param scored what is known of each, by chunk
 */
export function applyFloor(
  hits: readonly FusedHit[],
  scored: ReadonlyMap<string, Scored>,
  background: Background | undefined,
): FusedHit[] {
  if (!background) return [...hits];
  return hits.filter((hit) => hit.evidence >= CHANCE || isRareMatch(scored.get(hit.chunkId) ?? {}, background));
}
