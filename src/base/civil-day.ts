import { DAY_MS, MINUTE_MS } from "./clock.ts";

/** A day of the calendar as `YYYY-MM-DD`, without a time zone. */
export type CivilDay = string;

/** Days from `from` on, and before `to`. An absent end means no limit. */
export interface DayRange {
  readonly from?: CivilDay | undefined;
  readonly to?: CivilDay | undefined;
}

/** A range of days with the moments at which it begins and ends in some time zone. */
export interface DaySpan extends DayRange {
  readonly fromAt?: Date | undefined;
  readonly toAt?: Date | undefined;
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
/** The place of a Thursday in a week that begins on Monday. */
const THURSDAY = 3;
/** The most formats that are kept. A format takes a millisecond to make and some kilobytes. */
const MAX_FORMATS = 200;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns whether this is the name of a time zone, such as `Europe/Lisbon` or `+05:30`. */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** How long the zone of this process is remembered: a program may set TZ while it runs. */
const ZONE_KEPT_MS = 1000;
let zoneOfProcess = { zone: "", askedAt: Number.NEGATIVE_INFINITY };

/** Returns the time zone of this process. Asking for it takes 40 µs. */
export function serverZone(): string {
  const now = performance.now();
  if (now - zoneOfProcess.askedAt > ZONE_KEPT_MS)
    zoneOfProcess = { zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, askedAt: now };
  return zoneOfProcess.zone;
}

/** Returns the day that it is in a time zone at a moment. */
export function dayIn(zone: string, at: Date): CivilDay {
  return new Date(wallClock(zone, at)).toISOString().slice(0, 10);
}

/**
 * Returns the days of some moments in a time zone, in ascending order. Of moments of the same day only the
 * first one is formatted.
 */
export function daysOfTimes(times: readonly Date[], zone: string): CivilDay[] {
  const days: CivilDay[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const at of times.toSorted((a, b) => a.getTime() - b.getTime())) {
    if (at.getTime() < end) continue;
    const day = dayIn(zone, at);
    days.push(day);
    end = startOfDay(addDays(day, 1), zone).getTime();
  }
  return days;
}

/** Returns how far a zone's clocks are ahead of UTC at a moment, in minutes. */
export function offsetMinutes(zone: string, at: Date): number {
  return Math.round((wallClock(zone, at) - Math.trunc(at.getTime() / 1000) * 1000) / 60_000);
}

/**
 * Returns the moment at which a day begins in a time zone. Where clocks are set forward at midnight,
 * the day begins at the first moment after the change.
 */
export function startOfDay(day: CivilDay, zone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const guess = midnight - (wallClock(zone, new Date(midnight)) - midnight);
  const start = midnight - (wallClock(zone, new Date(guess)) - guess);
  return new Date(dayIn(zone, new Date(start)) < day ? Math.max(guess, start) : start);
}

/**
 * Returns the moment at which the clocks of a time zone show a time. A time that the clocks skip in spring is read
 * with the offset that held before the change.
 *
 * @param shown the time on the clocks, as if they showed UTC
 */
export function momentOfClock(shown: Date, zone: string): Date {
  const by = (at: Date) => new Date(shown.getTime() - offsetMinutes(zone, at) * 60_000);
  const [one, other] = [by(shown), by(by(shown))];
  const isRight = (at: Date) => by(at).getTime() === at.getTime();
  if (isRight(other)) return other;
  return isRight(one) ? one : new Date(Math.max(one.getTime(), other.getTime()));
}

/** Returns a range of days with its moments in a time zone. */
export function spanOf({ from, to }: DayRange, zone: string): DaySpan {
  return {
    from,
    to,
    fromAt: from === undefined ? undefined : startOfDay(from, zone),
    toAt: to === undefined ? undefined : startOfDay(to, zone),
  };
}

/** Returns a day of the calendar; undefined if there is no such day, as 31 February. */
export function civilDay(year: number, month: number, day: number): CivilDay | undefined {
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  const isReal = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
  return isReal && year >= 1 && year <= 9999 ? at.toISOString().slice(0, 10) : undefined;
}

/** Returns the day that is some days after a day. */
export function addDays(day: CivilDay, days: number): CivilDay {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the number of days from one day to another. */
export function daysBetween(from: CivilDay, to: CivilDay): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** Returns the day of the week: 0 is Monday. */
export function weekdayOf(day: CivilDay): number {
  // 1 January 1970 was a Thursday.
  return (((daysBetween("1970-01-01", day) + THURSDAY) % 7) + 7) % 7;
}

/** Returns year, month (1 to 12) and day of the month. */
export function partsOf(day: CivilDay): { year: number; month: number; day: number } {
  const [, year, month, date] = DAY.exec(day) ?? [];
  return { year: Number(year), month: Number(month), day: Number(date) };
}

/** Returns a day as people write it: 13 Nov 2026. */
export function writtenDay(date: CivilDay): string {
  const { year, month, day } = partsOf(date);
  return `${day} ${MONTHS[month - 1]} ${year}`;
}

/** Returns whether a day is in a range. */
export function isInRange(day: CivilDay, { from, to }: DayRange): boolean {
  return (from === undefined || day >= from) && (to === undefined || day < to);
}

/** The most minutes whose offset is kept, and the offsets in milliseconds by zone and minute. */
const MAX_OFFSETS = 10_000;
const offsets = new Map<string, number>();

/**
 * Returns what a zone's clocks show at a moment, to the second, as if it were UTC. A zone changes its
 * clocks at a full minute, so the offset of each minute is kept: a search reads the days of a hundred
 * messages, and formatting a moment takes 5 µs.
 */
function wallClock(zone: string, at: Date): number {
  const seconds = Math.floor(at.getTime() / 1000) * 1000;
  const key = `${zone} ${Math.floor(seconds / MINUTE_MS)}`;
  const known = offsets.get(key);
  if (known !== undefined) return seconds + known;
  const offset = formattedClock(zone, at) - seconds;
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(key, offset);
  return seconds + offset;
}

function formattedClock(zone: string, at: Date): number {
  const parts = formatOf(zone).formatToParts(at);
  const value = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const wall = new Date(0);
  wall.setUTCFullYear(value("year"), value("month") - 1, value("day"));
  wall.setUTCHours(value("hour"), value("minute"), value("second"));
  return wall.getTime();
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}
