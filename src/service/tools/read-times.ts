import { addDays, type CivilDay, civilDay, isTimeZone, momentOfClock, startOfDay } from "../../base/civil-day.ts";
import { msSince1970 } from "../../base/epoch-time.ts";

/** 2026-05-18, 2026/5/18, 20260518, 2026-05, 2026; with or without a time behind it. */
const DAY =
  /^(\d{4})(?:[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2}))?)?(?:[T\s_]+(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;
const MAX_CHARS = 64;
/** A number of at least this many digits counts seconds or less; a shorter one is a year or a day. */
const EPOCH = /^\d{9,19}(?:\.\d+)?$/;

/** A time as a model wrote it. */
export interface WrittenTime {
  readonly day: CivilDay;
  /** The moment; undefined if only a day was written. */
  readonly at: Date | undefined;
  /** Whether the moment is the same in each time zone: it was written with an offset, or counted from 1970. */
  readonly isAbsolute: boolean;
}

/**
 * Reads a day or a moment in the forms in which models write them: ISO 8601 with or without a time
 * and an offset, a month or year alone, and seconds or milliseconds since 1970. The offset does not
 * change the written day.
 *
 * @param zone the time zone of a time without an offset
 * @returns undefined for any other text, and for a day that does not exist
 */
export function readWrittenTime(value: unknown, zone = "UTC"): WrittenTime | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value).trim();
  if (text.length > MAX_CHARS) return undefined;
  if (EPOCH.test(text)) return ofEpoch(Number(text));
  const [, year, month = "1", date = "1", hour, minute = "0", second = "0", offset] = DAY.exec(text) ?? [];
  const day = year === undefined ? undefined : civilDay(Number(year), Number(month), Number(date));
  if (day === undefined) return undefined;
  if (hour === undefined) return offset === undefined ? { day, at: undefined, isAbsolute: false } : undefined;
  const [whole = "", fraction = "0"] = second.split(/[.,]/);
  // A moment has milliseconds; Python writes microseconds.
  const time = `${hour.padStart(2, "0")}:${minute}:${whole.padStart(2, "0")}.${fraction.slice(0, 3)}`;
  const at = offset === undefined ? inZone(day, time, zone) : new Date(`${day}T${time}${withColon(offset)}`);
  return Number.isNaN(at.getTime()) ? undefined : { day, at, isAbsolute: offset !== undefined };
}

const LAST_DAY: CivilDay = "9999-12-31";

/** Returns the last moment of a day, to the millisecond. */
export function endOfDay(day: CivilDay, zone: string): Date {
  return day === LAST_DAY ? new Date(`${day}T23:59:59Z`) : new Date(startOfDay(addDays(day, 1), zone).getTime() - 1);
}

/** Returns the time zone that an input names; undefined if it names none. */
export function zoneOf(input: { readonly timezone?: unknown }): string | undefined {
  return typeof input.timezone === "string" && isTimeZone(input.timezone) ? input.timezone : undefined;
}

function ofEpoch(number: number): WrittenTime | undefined {
  const at = new Date(msSince1970(number));
  return Number.isNaN(at.getTime()) ? undefined : { day: at.toISOString().slice(0, 10), at, isAbsolute: true };
}

/** Returns the moment at which a zone's clocks show a time on a day. */
function inZone(day: CivilDay, time: string, zone: string): Date {
  const shown = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(shown)) return new Date(shown);
  return momentOfClock(new Date(shown), zone);
}

function withColon(offset: string): string {
  return offset.toUpperCase() === "Z" ? "Z" : offset.replace(/^([+-]\d{2}):?(\d{2})$/, "$1:$2");
}
