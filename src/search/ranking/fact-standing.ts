import { decayFactor } from "./temporal-decay.ts";

/** What a fact counts for besides how well it fits the question. */
export interface FactStanding {
  /** 0..1 */
  importance: number;
  decayClass: string;
}

/** Days by decay class; a class without one does not age. */
export type HalfLives = Readonly<Record<string, number | undefined>>;

/** What the least important fact keeps of its score, and what the oldest keeps. */
const LEAST_BY_IMPORTANCE = 0.8;
const LEAST_BY_AGE = 0.6;

/**
 * By what a fact's score is multiplied. Both are mild: they decide between facts that fit about as well, and a fact that fits
 * is not lost for being old.
 *
 *   importance: 0.8 + 0.2 · importance            (0.8 to 1)
 *   decay:      0.6 + 0.4 · 2^(−age / half-life)  (1 down to 0.6)
 *
 * @param saidAt when the fact was last said; what lies ahead of `now` has not aged
 */
export function factFactors(
  { importance, decayClass }: FactStanding,
  saidAt: Date,
  now: Date,
  halfLives: HalfLives,
): { importance: number; decay: number } {
  const halfLifeDays = halfLives[decayClass];
  const fresh = halfLifeDays === undefined ? 1 : decayFactor(saidAt, now, halfLifeDays);
  return {
    importance: LEAST_BY_IMPORTANCE + (1 - LEAST_BY_IMPORTANCE) * Math.min(1, Math.max(0, importance)),
    decay: LEAST_BY_AGE + (1 - LEAST_BY_AGE) * fresh,
  };
}
