import type { Chrono, ParsedComponents, ParsedResult } from "chrono-node";
import { addDays, type CivilDay, civilDay, daysBetween, offsetMinutes, weekdayOf } from "../../base/civil-day.ts";
import { fold } from "../../base/fold.ts";
import {
  datePeriod,
  dayPeriod,
  daysPeriod,
  type Finding,
  lastWeekday,
  type Period,
  spanOf,
  unitPeriod,
  weekdayPeriod,
  yearPeriod,
} from "./periods.ts";
import type { Tense } from "./question-tense.ts";
import { type TimeWords, UNSPACED, type Unit } from "./time-words.ts";

/** When and where a question is asked. */
export interface Moment {
  readonly now: Date;
  readonly zone: string;
  /** The day that it is there. */
  readonly today: CivilDay;
}

/** The same, and whether the question is about plans or the past. */
export interface TensedMoment extends Moment {
  readonly tense: Tense;
}

/** The shortest word that is certainly a weekday; "sun", "sat" and "mar" are other words too. */
const LEAST_WEEKDAY_CHARS = 5;
/** Words before which a short weekday is one. */
const BEFORE_WEEKDAY = /^(?:last|this|next|past)\s/;
/** Words before which a month is one; chrono-node includes them in some languages. */
const MONTH_WITH_WORD = /\s/;
/** English words after which a unit means the days up to now: "in the past week". */
const UP_TO_NOW = /^(?:the )?past\b/;

/** Finds the dates and periods that chrono-node reads in a text. Never throws. */
export function chronoFindings(reader: Chrono, text: string, words: TimeWords, moment: TensedMoment): Finding[] {
  const reference = { instant: moment.now, timezone: offsetMinutes(moment.zone, moment.now) };
  return parse(reader, text, reference).flatMap((result): Finding[] => {
    const isPart =
      /[\p{N}\p{L}][.:,/-]?$/u.test(text.slice(Math.max(0, result.index - 2), result.index)) &&
      !UNSPACED.has(words.language);
    const period = isPart ? undefined : periodOf(result, words, moment);
    return period ? [{ start: result.index, end: result.index + result.text.length, period }] : [];
  });
}

/** A hostile text must not make a question fail because of a date. */
function parse(reader: Chrono, text: string, reference: { instant: Date; timezone: number }): ParsedResult[] {
  try {
    return reader.parse(text, reference);
  } catch {
    return [];
  }
}

function periodOf(result: ParsedResult, words: TimeWords, moment: TensedMoment): Period | undefined {
  // "Now" limits no question to a day, and numbers alone are read with more care elsewhere.
  if (result.tags().has("casualReference/now") || !/\p{L}/u.test(result.text)) return undefined;
  const text = fold(result.text);
  const start = ofComponents(result.start, text, words, moment);
  if (!start || !result.end) return start;
  const end = ofComponents(result.end, text, words, moment);
  return (end && spanOf(start, end)) ?? start;
}

function ofComponents(
  components: ParsedComponents,
  text: string,
  words: TimeWords,
  moment: TensedMoment,
): Period | undefined {
  const { today } = moment;
  const { year, month, day } = {
    year: components.get("year") ?? 0,
    month: components.get("month") ?? 0,
    day: components.get("day") ?? 0,
  };
  const date = civilDay(year, month, day);
  if (date === undefined) return undefined;
  const has = (part: "year" | "month" | "day" | "weekday") => components.isCertain(part);
  if (has("day") && has("year")) return relative(date, text, words, today);
  if (has("day") && has("month")) return datePeriod({ month, day }, today);
  if (has("weekday") && !has("day")) return ofWeekday(date, text, words, moment);
  if (has("month") && has("year")) return datePeriod({ year, month }, today);
  if (has("month")) return MONTH_WITH_WORD.test(text) || isOwnWord(words) ? datePeriod({ month }, today) : undefined;
  return has("year") ? yearPeriod(year) : undefined;
}

/** Returns whether a month's name in a case of its own is certain: "мае" is no other word. */
function isOwnWord({ language }: TimeWords): boolean {
  return language === "ru" || language === "uk" || UNSPACED.has(language);
}

/** Returns the period of a date that is given whole, or by its distance from today. */
function relative(date: CivilDay, text: string, words: TimeWords, today: CivilDay): Period | undefined {
  const tokens: readonly string[] = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const unit = tokens.map((token) => words.units.get(token)).find((one) => one !== undefined);
  if (unit === undefined) return dayPeriod(date);
  const ago = daysBetween(date, today);
  // A number of units in the future, such as "for 5 days", is mostly a duration.
  if (ago < 0 && !tokens.some((token) => words.nextWords.has(token))) return undefined;
  const isPoint =
    words.agoWords.some((word) => text.includes(word)) ||
    words.phrases.some((phrase) => phrase.unit === "day" && tokens.includes(phrase.text));
  const isCount = !isPoint && (UP_TO_NOW.test(text) || countOf(unit, ago) > 1);
  if (isCount) return daysPeriod(date, today);
  return unit === "day" ? dayPeriod(date) : unitPeriod(unit, 0, date);
}

const DAYS_OF: Readonly<Record<Unit, number>> = { day: 1, week: 7, month: 28, year: 365 };

function countOf(unit: Unit, days: number): number {
  return unit === "month" ? Math.round(days / 30.4) : Math.floor(days / DAYS_OF[unit]);
}

/** Returns the weekday, which "next" or the tense of the question moves to the past or the future. */
function ofWeekday(
  date: CivilDay,
  text: string,
  words: TimeWords,
  { today, tense }: Pick<TensedMoment, "today" | "tense">,
): Period | undefined {
  const tokens: readonly string[] = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const isCertain =
    UNSPACED.has(words.language) ||
    tokens.some((token) => token.length >= LEAST_WEEKDAY_CHARS) ||
    BEFORE_WEEKDAY.test(text);
  if (!isCertain) return undefined;
  const isNext = tokens.some((token) => words.nextWords.has(token));
  if (isNext) return dayPeriod(date > today ? date : addDays(date, 7));
  const isLast = tokens.some((token) => words.lastWords.has(token));
  return isLast ? lastWeekday(weekdayOf(date), today) : weekdayPeriod(weekdayOf(date), today, tense);
}
