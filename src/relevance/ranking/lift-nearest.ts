/** A hit as far as this module reads it. */
interface LiftedHit {
  readonly score: number;
  /** The evidence as a multiple of chance. */
  readonly evidence: number;
  /** The cosine similarity; undefined: not known. */
  readonly vectorScore?: number;
  /** The factor by which the hit's age has lowered its score. */
  readonly decay: number;
  readonly named: boolean;
}

/**
 * The evidence of the best hit below which a question's words tell little: a score of 0.2. The
 * figures of 1.2 and 2.1 are near (docs/decisions/0083-nearest-among-the-first.md).
 */
const TELLING = 1.4;
/** The number of nearest hits that are lifted. */
const LIFTED = 2;

/**
 * Moves the two hits that are nearest by meaning behind the best hit, if no hit has more evidence than
 * chance gives easily. Such a question asks in other words than the answer has: "Which city do I call
 * home?", where "I live in Rotterdam" is near, and a text with "on-call" shares a word. Both arms'
 * evidence is as weak then, so the first three hits have the best of both, and not three texts that
 * share a common word.
 *
 * A lifted hit gets the score of the best hit that it passes.
 *
 * @param hits best first
 */
export function liftNearest<T extends LiftedHit>(hits: readonly T[]): T[] {
  const [best] = hits;
  if (!best || hits.some((hit) => hit.named || hit.evidence >= TELLING)) return [...hits];
  const nearest = hits
    .filter((hit) => nearnessOf(hit) > 0)
    .toSorted((a, b) => nearnessOf(b) - nearnessOf(a))
    .slice(0, LIFTED);
  const first = [...new Set([best, ...nearest])];
  const others = hits.filter((hit) => !first.includes(hit));
  const passed = others[0]?.score ?? 0;
  return [...first.map((hit) => ({ ...hit, score: Math.max(hit.score, passed) })), ...others];
}

function nearnessOf({ vectorScore = 0, decay }: LiftedHit): number {
  return vectorScore * decay;
}
