import { DAY_MS } from "../../base/clock.ts";

const UNDATED = /(?:^|\/)memory\//;
const MAIN_NOTE = /(?:^|\/)MEMORY\.md$/;

/**
 * Returns the moment from which a file ages: the day that it is about, else its last change.
 * `MEMORY.md` and undated files under `memory/` hold things that are true for good, so they do not
 * age.
 *
 * @param day the day that the file is about, as YYYY-MM-DD
 */
export function ageReferenceDate(path: string, changedAt: Date, day?: string | null): Date | undefined {
  if (MAIN_NOTE.test(path)) return undefined;
  if (day) return new Date(`${day}T00:00:00Z`);
  return UNDATED.test(path) ? undefined : changedAt;
}

/**
 * Returns exp(−ln 2 · age / halfLife): 1 for today and for the future, 0.5 after one half-life.
 *
 * @param from the day from which the text ages; undefined: it does not age
 */
export function decayFactor(from: Date | undefined, now: Date, halfLifeDays: number): number {
  if (from === undefined) return 1;
  const days = Math.max(0, now.getTime() - from.getTime()) / DAY_MS;
  return Math.exp((-Math.LN2 * days) / halfLifeDays);
}

/** The properties of a fact that weigh its score besides its relevance. */
export interface FactStanding {
  /** 0..1 */
  importance: number;
  decayClass: string;
}

/** The half-lives in days, by decay class; a class without a half-life does not age. */
export type HalfLives = Readonly<Record<string, number | undefined>>;

/** The shares of the score that the least important and the oldest fact keep. */
const LEAST_BY_IMPORTANCE = 0.8;
const LEAST_BY_AGE = 0.6;

/**
 * Returns the two factors of a fact's score. Both are mild: they decide between equally relevant
 * facts, and a relevant fact is not lost because it is old.
 *
 *   importance: 0.8 + 0.2 · importance            (0.8 to 1)
 *   decay:      0.6 + 0.4 · 2^(−age / half-life)  (1 down to 0.6)
 *
 * @param saidAt when the fact was last confirmed; a time after `now` means no age
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
