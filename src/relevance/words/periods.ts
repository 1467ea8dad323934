import {
  addDays,
  type CivilDay,
  civilDay,
  type DayRange,
  daysBetween,
  isInRange,
  partsOf,
  weekdayOf,
} from "../../base/civil-day.ts";
import type { Tense } from "./question-tense.ts";
import type { Unit } from "./time-words.ts";

/** Days with both ends. */
export interface Days extends DayRange {
  readonly from: CivilDay;
  readonly to: CivilDay;
}

/** A period that a question names. */
export interface Period {
  /** The days that are meant. A day or month without a year has a range for each of several years. */
  readonly ranges: readonly [Days, ...Days[]];
  /** Whether the first range stands for the same days of every year. */
  readonly isYearly?: boolean;
}

/** A period and the part of the question that names it. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly period: Period;
  /** Whether it is a weekday or a week, which belong together in "Tuesday last week". */
  readonly kind?: "weekday" | "week";
  /** Whether its words name the days for any reader, as "9 May" does and "yesterday" does not. */
  readonly isName?: true;
}

/** The years before now, and after it, whose days a date without a year may mean. */
const YEARS = { before: 10, after: 1 };

/** Returns one day as a period. */
export function dayPeriod(day: CivilDay): Period {
  return { ranges: [{ from: day, to: addDays(day, 1) }] };
}

/** Returns the days from one day to another, both included. */
export function daysPeriod(from: CivilDay, last: CivilDay): Period {
  return { ranges: [{ from, to: addDays(last, 1) }] };
}

/**
 * Returns the days from a period to the next time of another; undefined if that is never after it. Days
 * of any year stay days of any year, unless the other end has a year.
 */
export function spanOf(first: Period, last: Period): Period | undefined {
  const isYearly = first.isYearly && last.isYearly;
  const starts = first.isYearly ? first.ranges : [first.ranges[0]];
  const ends = last.ranges.map(({ to }) => to).sort();
  const spans = starts.flatMap(({ from }): Days[] => {
    const to = ends.find((end) => end > from);
    return to === undefined ? [] : [{ from, to }];
  });
  const [nearest, ...others] = isYearly ? spans : spans.toSorted((a, b) => (a.from < b.from ? 1 : -1)).slice(0, 1);
  return nearest && { ranges: [nearest, ...others], ...(isYearly ? { isYearly } : {}) };
}

/** Returns the calendar's unit that is `offset` units from today. Weeks begin on Monday (ISO 8601). */
export function unitPeriod(unit: Unit, offset: number, today: CivilDay): Period | undefined {
  if (unit === "day") return dayPeriod(addDays(today, offset));
  if (unit === "week") {
    const monday = addDays(today, 7 * offset - weekdayOf(today));
    return daysPeriod(monday, addDays(monday, 6));
  }
  const { year, month } = partsOf(today);
  if (unit === "year") return yearPeriod(year + offset);
  const months = year * 12 + month - 1 + offset;
  return monthPeriod((((months % 12) + 12) % 12) + 1, Math.floor(months / 12));
}

export function yearPeriod(year: number): Period | undefined {
  return between(civilDay(year, 1, 1), civilDay(year, 12, 31));
}

function monthPeriod(month: number, year: number): Period | undefined {
  const from = civilDay(year, month, 1);
  return between(from, from === undefined ? undefined : lastOfMonth(from));
}

/**
 * Returns the period of a date of which some parts are known. Without a year, the latest past date
 * comes first.
 */
export function datePeriod(
  { year, month, day }: { year?: number | undefined; month: number; day?: number | undefined },
  today: CivilDay,
): Period | undefined {
  const ofYear = (one: number) => {
    if (day === undefined) return monthPeriod(month, one);
    const date = civilDay(one, month, day);
    return date === undefined ? undefined : dayPeriod(date);
  };
  if (year !== undefined) return ofYear(year);
  const now = partsOf(today).year;
  const [first, ...ranges] = Array.from({ length: YEARS.before + YEARS.after + 1 }, (_, ago) => now + YEARS.after - ago)
    .flatMap((one) => ofYear(one)?.ranges ?? [])
    .toSorted((a, b) => rank(a, today) - rank(b, today));
  return first && { ranges: [first, ...ranges], isYearly: true };
}

/** Orders past days before coming ones, the nearest first. */
function rank({ from }: Days, today: CivilDay): number {
  const ago = daysBetween(from, today);
  return ago >= 0 ? ago : 1e6 - ago;
}

/**
 * Returns the latest such weekday in a question about the past, the next one in a question about plans,
 * and else both, the latest first. On that weekday itself, today comes first.
 */
export function weekdayPeriod(weekday: number, today: CivilDay, tense: Tense): Period {
  const ago = (weekdayOf(today) - weekday + 7) % 7;
  return aroundNow(ago === 0 ? [today] : [], addDays(today, ago === 0 ? -7 : -ago), 1, tense);
}

/** Returns the day that "last Tuesday" means: on a Tuesday, the one of the week before. */
export function lastWeekday(weekday: number, today: CivilDay): Period {
  return dayPeriod(addDays(today, -((weekdayOf(today) - weekday + 7) % 7 || 7)));
}

/**
 * Returns a day of a month that is not named, "the 24th": the latest one in a question about the past, the next one in
 * a question about plans, and else both. Undefined if no month beside this one has the day.
 */
export function dayOfMonthPeriod(day: number, today: CivilDay, tense: Tense): Period | undefined {
  const { year, month } = partsOf(today);
  const days = [-2, -1, 0, 1, 2].flatMap((offset) => {
    const months = year * 12 + month - 1 + offset;
    return civilDay(Math.floor(months / 12), (months % 12) + 1, day) ?? [];
  });
  const last = tense === "future" ? undefined : days.findLast((one) => one <= today);
  const next = tense === "past" ? undefined : days.find((one) => one > today || (one === today && last === undefined));
  const [first, ...others] = [last, next].flatMap((one) => (one === undefined ? [] : dayPeriod(one).ranges));
  return first && { ranges: [first, ...others] };
}

/** Returns the latest weekend or the next one, or both, as `weekdayPeriod` does. */
export function weekendPeriod(today: CivilDay, tense: Tense): Period {
  const saturday = addDays(today, SATURDAY - weekdayOf(today));
  const isNow = weekdayOf(today) >= SATURDAY;
  return aroundNow(isNow ? [saturday] : [], addDays(saturday, -7), 2, tense);
}

/** The number of Saturday in a week that begins with Monday as 0. */
export const SATURDAY = 5;

/** Returns days of now, of the week before and of the week after, as far as a tense may mean them. */
function aroundNow(now: readonly CivilDay[], last: CivilDay, length: number, tense: Tense): Period {
  const next = addDays(last, 7 * (now.length + 1));
  const starts = [...now, ...(tense === "future" ? [] : [last]), ...(tense === "past" ? [] : [next])];
  const [first, ...ranges] = starts.map((from): Days => ({ from, to: addDays(from, length) }));
  return { ranges: [first ?? { from: last, to: addDays(last, length) }, ...ranges] };
}

/** Returns whether a text of these days is of a period. */
export function isOfPeriod(days: DayRange, { ranges, isYearly }: Period): boolean {
  if (ranges.some((range) => overlaps(days, range))) return true;
  const [first] = ranges;
  if (!isYearly || days.from === undefined) return false;
  const moved = sameDayOfYear(days.from, partsOf(first.from).year);
  return moved !== undefined && isInRange(moved, first);
}

function overlaps(days: DayRange, range: Days): boolean {
  return (days.to === undefined || days.to > range.from) && (days.from === undefined || days.from < range.to);
}

function sameDayOfYear(date: CivilDay, year: number): CivilDay | undefined {
  const { month, day } = partsOf(date);
  return civilDay(year, month, day);
}

/**
 * Returns whether a period is past. Days of any year are the nearest ones: on 1 December, "October" is past, and
 * "10 December" is to come.
 */
export function isPast({ ranges, isYearly }: Period, today: CivilDay): boolean {
  if (!isYearly) return ranges.every(({ to }) => to <= today);
  const distance = ({ from, to }: Days) => (to <= today ? daysBetween(to, today) : daysBetween(today, from));
  const [nearest] = ranges.toSorted((a, b) => distance(a) - distance(b));
  return nearest !== undefined && nearest.to <= today;
}

/** Returns the number of days of a period. */
export function lengthOf({ ranges: [first] }: Period): number {
  return daysBetween(first.from, first.to);
}

function between(from: CivilDay | undefined, last: CivilDay | undefined): Period | undefined {
  return from === undefined || last === undefined ? undefined : daysPeriod(from, last);
}

function lastOfMonth(first: CivilDay): CivilDay {
  const { year, month } = partsOf(first);
  const next = month === 12 ? civilDay(year + 1, 1, 1) : civilDay(year, month + 1, 1);
  return addDays(next ?? first, -1);
}
