import type { CivilDay } from "../../base/civil-day.ts";
import type { Period } from "../words/periods.ts";
import { type DaysOfText, isTextOf } from "./days-of-text.ts";

/** A candidate as the order of a question about past days needs it. */
interface Dated extends DaysOfText {
  /** Set for a fact. */
  readonly standing?: object | null | undefined;
  /** Whether it is a passage of a conversation. */
  readonly isSaid?: boolean | undefined;
  /** Set if the text writes a day of the period. */
  readonly names?: unknown;
}

/**
 * Returns the facts that began after the past days that a question names: "I work at Globex", known since November, does
 * not say where the user worked in October. If no text is of these days, it also returns what was said later: what was said
 * before may have held then.
 *
 * @param details the candidates by their chunk
 * @param today the day of the question
 */
export function saidOfLater(
  details: ReadonlyMap<string, Dated>,
  periods: readonly Period[],
  today: CivilDay,
): ReadonlySet<string> {
  const ends = periods.flatMap(({ ranges, isYearly }) => {
    const past = ranges.filter(({ to }) => to <= today);
    return isYearly || past.length === ranges.length ? past.map(({ to }) => to) : [];
  });
  const last = ends.toSorted().at(-1);
  if (last === undefined) return new Set();
  const hasText = [...details.values()].some((one) => periods.some((period) => isTextOf(one, period)));
  const isLater = ([, { standing, isSaid, names, days }]: readonly [string, Dated]) =>
    Boolean(standing || (isSaid && !hasText)) && names === undefined && (days?.from ?? "") >= last;
  return new Set([...details].filter(isLater).map(([id]) => id));
}
