/** A hit as far as this module reads it. */
interface LiftedHit {
  readonly score: number;
  /** The score before age and importance counted. */
  readonly fusedScore: number;
  /** The cosine similarity; undefined: not known. */
  readonly vectorScore?: number;
  /** The factor by which age has lowered the score. */
  readonly decay: number;
  readonly named: boolean;
}

/**
 * The score from which the words of a question tell something. 0.155 and 0.35 give similar figures
 * (docs/decisions/0083-nearest-among-the-first.md).
 */
const TELLING = 0.2;
/** The number of nearest hits that are lifted. */
const LIFTED = 2;

/**
 * Moves the two hits that are nearest by meaning behind the best hit, if no hit has more than a low
 * score. Such a question asks in other words than the answer has: "Which city do I call home?", where
 * "I live in Rotterdam" is near, and a text with "on-call" shares a word. The evidence of both arms is
 * then equally weak. So the first three hits are the best one and the two nearest, instead of three
 * texts that share a common word.
 *
 * A lifted hit gets the score of the best hit that it passes.
 *
 * @param hits best first
 */
export function liftNearest<T extends LiftedHit>(hits: readonly T[]): (T & { nearest?: true })[] {
  const [best] = hits;
  if (!best || hits.some((hit) => hit.named || hit.fusedScore >= TELLING)) return [...hits];
  const nearest = hits
    .filter((hit) => nearnessOf(hit) > 0)
    .toSorted((a, b) => nearnessOf(b) - nearnessOf(a))
    .slice(0, LIFTED);
  const first = [...new Set([best, ...nearest])];
  const others = hits.filter((hit) => !first.includes(hit));
  const passed = others[0]?.score ?? 0;
  return [
    ...first.map((hit) => (hit.score < passed ? { ...hit, score: passed, nearest: true as const } : hit)),
    ...others,
  ];
}

// A fact's importance does not count: most facts have the usual one, which lowers a score a little, and
// cosines lie close together.
function nearnessOf({ vectorScore = 0, decay }: LiftedHit): number {
  return vectorScore * decay;
}
