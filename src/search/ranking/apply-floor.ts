import { type Background, evidenceByChance, hasAllWanted, isRareMatch, type Scored } from "./evidence.ts";
import type { FusedHit } from "./fuse.ts";

/** Half as far from the mean as the best random chunk is: right answers of a small model are often no better than chance. */
const ASKED = 0.25;
/** Nobody asked for what is recalled: the best of it has to stand out of chance. */
const UNASKED = 1.2;
/** And out of the best that one of so many messages finds by chance. */
const MESSAGES = 5;

/** `auto`: for who asks; `recall`: for who did not. */
export type Floor = "auto" | "recall";

/**
 * Drops hits for which less speaks than chance. What has words rarer than that is kept in any case, such as an error code in a
 * long question, and so is what has all that was asked for, as a word that is in every chunk says nothing by chance. Without a
 * background nothing is dropped: there are too few chunks to choose from.
 *
 * @param hits best first; the order is kept
 * @param scored what is known of each, by chunk
 */
export function applyFloor(
  hits: readonly FusedHit[],
  scored: ReadonlyMap<string, Scored>,
  background: Background | undefined,
  floor: Floor,
): FusedHit[] {
  if (!background) return [...hits];
  const least = Math.max(UNASKED, evidenceByChance(background, MESSAGES));
  if (floor === "recall" && !hits.some((hit) => hit.evidence >= least)) return [];
  return hits.filter(({ evidence, chunkId }) => {
    const known = scored.get(chunkId) ?? {};
    return evidence >= ASKED || isRareMatch(known, background) || hasAllWanted(known, background);
  });
}
