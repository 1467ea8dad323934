import { texts } from "../texts/texts.ts";

const numbers = new Intl.NumberFormat("en");
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

export const count = (value: number): string => numbers.format(value);
export const percent = (value: number): string => `${Math.round(value * 100)} %`;
export const score = (value: number): string => value.toFixed(3);
export const moment = (iso: string | null | undefined): string => (iso ? dates.format(new Date(iso)) : texts.never);
export const day = (iso: string): string => days.format(new Date(iso));

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
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
