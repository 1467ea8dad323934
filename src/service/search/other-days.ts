import { addDays, dayIn } from "../../base/civil-day.ts";
import type { CandidateRow } from "../../db/agent/candidates/candidate-details.ts";
import { isCertain } from "../../relevance/ranking/certainty.ts";
import { isTextOf } from "../../relevance/ranking/days-of-text.ts";
import type { Sought } from "../../relevance/snippets/answering-snippet.ts";
import { lengthOf, type Period } from "../../relevance/words/periods.ts";
import { namesDays } from "./hit-excerpt.ts";
import type { SearchedMemory } from "./join-memories.ts";
import type { RankedSearch, RankRequest, ShownHit } from "./rank-candidates.ts";

/**
 * Returns a sentence if the question names a period, and no memory has a text of it. A model could
 * otherwise take texts of other days, which the words of the question found, for its answer. There is
 * none if a text of a certain hit names the days itself, beside another word of the question: "who said that we
 * ship on Thursday?" asks for a text with this day, whenever it was said. For coming days, one text that
 * writes them is enough, because no text can be of these days yet.
 */
export function otherDays(
  { periods = [], periodNames = [], isListing, now, zone }: RankRequest,
  memories: readonly Pick<SearchedMemory, "arms" | "found">[],
  { sought, shown }: { sought: Sought; shown: readonly ShownHit[] },
): string | undefined {
  const [period] = periods;
  const today = dayIn(zone, now);
  // A text that the caller may not see must not change the answer.
  const writesDay = ({ holds, names, days }: CandidateRow) =>
    holds && (names === "answer" || (names !== undefined && (isListing || (days?.from ?? "") >= today)));
  const hasDays = ({ arms, found }: Pick<SearchedMemory, "arms" | "found">) =>
    !arms.isPeriodEmpty || [...found.details.values()].some(writesDay);
  if (!period || shown.length === 0 || memories.some(hasDays)) return undefined;
  const inNames = sought.find(periodNames.join(" "));
  const isNamedIn = (text: string) =>
    namesDays(text, periodNames) && [...sought.find(text)].some((word) => !inNames.has(word));
  const textsOf = ({ hit }: ShownHit) => (hit.parts ?? [hit]).map(({ text }) => text);
  const isNamed = (one: ShownHit) => textsOf(one).some(isNamedIn);
  const isComing = periods.some(({ ranges }) => ranges.some(({ to }) => to > today));
  if (isComing && shown.some((one) => textsOf(one).some((text) => namesDays(text, periodNames)))) return undefined;
  if (shown.some((one) => isCertain([one.hit]) && isNamed(one))) return undefined;
  return `No text is of the days that the question names${daysText(periods, period)}; these hits are of other days.`;
}

/** Returns a sentence if a message asks only what happened on some days, no text is of them, and nothing else was found. */
export function noTextOf(
  { periods = [], isListing }: RankRequest,
  memories: readonly Pick<SearchedMemory, "arms">[],
  found: number,
): string | undefined {
  const [period] = periods;
  if (!period || !isListing || found > 0 || !memories.every(({ arms }) => arms.isPeriodEmpty)) return undefined;
  return `No text is of the days that the question names${daysText(periods, period)}.`;
}

/** Returns the days of a question's only period, if it is not a day or month of any year. */
function daysText(periods: readonly Period[], { ranges: [days, ...others] }: Period): string {
  if (periods.length > 1 || others.length > 0) return "";
  const last = addDays(days.to, -1);
  return ` (${days.from === last ? last : `${days.from} to ${last}`})`;
}

/** The most days of a period whose texts are certain. Every text of a year is of that year, and seldom answers. */
const MAX_DAYS = 14;

/** Returns whether a hit is of a short period that the question names. The day of a file's last change says little of its text. */
export function isOfPeriodAsked({ shown, details }: RankedSearch, { periods = [] }: RankRequest): boolean {
  return shown.some(({ hit }) => {
    const row = details.get(hit.chunkId);
    if (!row || row.standing || (row.isDayOfChange && !row.names)) return false;
    return periods.some((period) => lengthOf(period) <= MAX_DAYS && isTextOf(row, period));
  });
}
