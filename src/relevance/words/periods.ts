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

/** Returns the latest such weekday; on that weekday itself, today and a week ago. */
export function weekdayPeriod(weekday: number, today: CivilDay): Period {
  const ago = (weekdayOf(today) - weekday + 7) % 7;
  if (ago > 0) return dayPeriod(addDays(today, -ago));
  const [last, now] = [dayPeriod(addDays(today, -7)), dayPeriod(today)];
  return { ranges: [now.ranges[0], last.ranges[0]] };
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
