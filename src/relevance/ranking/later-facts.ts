import type { CivilDay } from "../../base/civil-day.ts";
import type { Period } from "../words/periods.ts";
import { wordsBetweenSpaces } from "../words/statements.ts";
import { type DaysOfText, isTextOf } from "./days-of-text.ts";

/** A candidate as the order of a question about past days needs it. */
interface Dated extends DaysOfText {
  /** Set for a fact. */
  readonly standing?: object | null | undefined;
  /** Set if the text writes a day of the period. */
  readonly names?: unknown;
}

/**
 * Returns the facts that began after the past days that a question names: "I work at Globex", known since November, does
 * not say where the user worked in October.
 *
 * @param details the candidates by their chunk
 * @param today the day of the question
 */
export function factsOfLater(
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
  const isOfPeriod = (one: Dated) => periods.some((period) => isTextOf(one, period));
  const isLater = ([, one]: readonly [string, Dated]) =>
    Boolean(one.standing) && one.names === undefined && (one.days?.from ?? "") >= last && !isOfPeriod(one);
  return new Set([...details].filter(isLater).map(([id]) => id));
}

/**
 * Returns later facts with the passages from which they were captured. Other passages of later days stay: they may tell of
 * the days that the question names.
 */
export function withTheirPassages(
  later: ReadonlySet<string>,
  hits: readonly {
    readonly chunkId: string;
    readonly text: string;
    readonly fact?: { readonly text: string } | null;
  }[],
  { details, periods }: { details: ReadonlyMap<string, Dated>; periods: readonly Period[] },
): ReadonlySet<string> {
  const facts = hits.flatMap(({ chunkId, fact }) => (fact && later.has(chunkId) ? wordsBetweenSpaces(fact.text) : []));
  if (facts.length === 0) return later;
  const isOfPeriod = (one: Dated | undefined) => one !== undefined && periods.some((period) => isTextOf(one, period));
  const passages = hits.filter(({ chunkId, text, fact }) => {
    if (fact || isOfPeriod(details.get(chunkId))) return false;
    const words = wordsBetweenSpaces(text);
    return facts.some((one) => words.includes(one));
  });
  return new Set([...later, ...passages.map(({ chunkId }) => chunkId)]);
}
