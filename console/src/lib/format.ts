import { locale } from "../texts/language.ts";
import { texts } from "../texts/texts.ts";
import type { Noun } from "../texts/words.ts";
import { DAY_MS } from "./day-ms.ts";

const numbers = new Intl.NumberFormat(locale);
const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const exactly = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" });
const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const shortDays = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const longDays = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const shortMonths = new Intl.DateTimeFormat(locale, { month: "short", year: "numeric" });
const lists = new Intl.ListFormat(locale);
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

export const count = (value: number): string => numbers.format(value);
export const percent = (value: number): string => `${Math.round(value * 100)} %`;
export const score = (value: number): string => value.toFixed(3);
export const score2 = (value: number): string => value.toFixed(2);
export const moment = (iso: string | null | undefined): string => (iso ? dates.format(new Date(iso)) : texts.never);
export const exactMoment = (iso: string): string => exactly.format(new Date(iso));
export const day = (iso: string): string => days.format(new Date(iso));
/** A day as a heading of a list: `Saturday, 28 November 2026`. */
export const longDay = (iso: string): string => longDays.format(new Date(iso));
export const timeOfDay = (iso: string): string => clock.format(new Date(iso));
/** A day such as `2026-11-28` in short: `28 Nov`. */
export const dayName = (date: string): string => shortDays.format(new Date(`${date}T00:00`));
export const month = (at: number): string => shortMonths.format(new Date(at));

/** Returns the number of days between the days of two times, in the browser's time zone. */
function daysBetween(iso: string, now: Date): number {
  const startOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  return Math.round((startOf(now) - startOf(new Date(iso))) / DAY_MS);
}

/** Returns a day in as few words as it needs: `today`, `yesterday`, `28 Oct`, `Oct 2025`. */
export function shortDay(iso: string, now = new Date()): string {
  const ago = daysBetween(iso, now);
  if (Math.abs(ago) < 2) return relative.format(-ago, "day");
  const date = new Date(iso);
  return date.getFullYear() === now.getFullYear() ? shortDays.format(date) : shortMonths.format(date);
}

/** Returns how long ago a time was, as precisely as somebody would say it. */
export function ago(iso: string, now = new Date()): string {
  const seconds = (now.getTime() - Date.parse(iso)) / 1000;
  if (seconds >= 0 && seconds < 45) return texts.time.justNow;
  if (Math.abs(seconds) < 3600) return relative.format(-Math.round(seconds / 60), "minute");
  const days = daysBetween(iso, now);
  if (days === 0) return clock.format(new Date(iso));
  if (Math.abs(days) < 7) return relative.format(-days, "day");
  return shortDay(iso, now);
}

/**
 * Returns the day that was `daysAgo` days ago in the browser's time zone, in the format of a date
 * field.
 */
export function dayInput(daysAgo: number): string {
  const date = new Date();
  date.setDate(date.getDate() - daysAgo);
  const part = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}

/**
 * Returns the start of a date field's day in the browser's time zone, as an ISO 8601 time. An
 * invalid day becomes 1970-01-01.
 */
export function startOfDay(day: string): string {
  const start = new Date(`${day}T00:00`);
  return new Date(Number.isNaN(start.getTime()) ? 0 : start).toISOString();
}

export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let rest = value;
  while (rest >= 1000 && at < units.length - 1) {
    rest /= 1000;
    at++;
  }
  return `${rest < 10 && at > 0 ? rest.toFixed(1) : Math.round(rest)} ${units[at]}`;
}

/** Returns a number with its noun: `1 file`, `2 files`. */
export const counted = (value: number, [one, other]: Noun): string => `${count(value)} ${value === 1 ? one : other}`;

/** Returns the parts that are there as one says them: `2 files and 1 fact`. */
export const listed = (parts: readonly (string | false)[]): string =>
  lists.format(parts.filter((part) => part !== false));

/** Returns a price in dollars. `nano` is the price in billionths of a dollar. */
export const usd = (nano: number): string => `$${(nano / 1e9).toFixed(nano > 0 && nano < 1e7 ? 5 : 2)}`;
