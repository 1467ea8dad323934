import { addDays, type CivilDay, civilDay, partsOf, weekdayOf } from "../../base/civil-day.ts";
import { dayPeriod, daysPeriod, type Finding, type Period } from "./periods.ts";

/** The most findings of one shape; of a pasted text the first ones count. */
const MAX_OF_SHAPE = 8;
const YEAR = "((?:19|20)\\d{2})";
const BEFORE = "(?<![\\p{L}\\p{N}_.-])";
const AFTER = "(?![\\p{L}\\p{N}_-])";
/** The words and signs between a week or a quarter and its year. */
const OF = "(?:\\s?[/,-]\\s?|\\s(?:of|in|von|des|de|del|di|van|av|af)\\s|\\s)";

/** 2026-W21 and 2026W21-3, as ISO 8601 writes weeks and their days. */
const ISO_WEEK = new RegExp(`${BEFORE}${YEAR}-?w(\\d{2})(?:-?([1-7]))?${AFTER}`, "giu");
/** The words for a week of the calendar; "week 3" alone is mostly the third week of something else. */
const CALENDAR_WEEK = new RegExp(
  `${BEFORE}(?:kw|cw|kalenderwoche|calendar week|iso week)[\\s.#-]{0,2}(\\d{1,2})(?:${OF}${YEAR})?${AFTER}`,
  "giu",
);
const WEEK_OF_YEAR = new RegExp(
  `${BEFORE}(?:week|wk|woche|semaine|semana|settimana|uke|uge|vecka)[\\s.#]{1,2}(\\d{1,2})${OF}${YEAR}${AFTER}`,
  "giu",
);
const QUARTER_FIRST = new RegExp(`${BEFORE}q([1-4])${OF}?${YEAR}${AFTER}`, "giu");
const YEAR_FIRST = new RegExp(`${BEFORE}${YEAR}[\\s/-]?q([1-4])${AFTER}`, "giu");
/** A quarter without a year; "the Q3 roadmap" is a name, and "in Q3" a time. */
const QUARTER = new RegExp(
  `(?<=(?:^|\\s)(?:in|during|since|im|seit|en|depuis|desde|nel|em|i)\\s)q([1-4])${AFTER}`,
  "giu",
);

type Numbers = readonly (number | undefined)[];

const SHAPES: readonly { pattern: RegExp; read: (numbers: Numbers, today: CivilDay) => Period | undefined }[] = [
  { pattern: ISO_WEEK, read: ([year = 0, week = 0, day]) => weekPeriod(year, week, day) },
  { pattern: CALENDAR_WEEK, read: ([week = 0, year], today) => ofYears((one) => weekPeriod(one, week), year, today) },
  { pattern: WEEK_OF_YEAR, read: ([week = 0, year = 0]) => weekPeriod(year, week) },
  { pattern: QUARTER_FIRST, read: ([quarter = 0, year = 0]) => quarterPeriod(year, quarter) },
  { pattern: YEAR_FIRST, read: ([year = 0, quarter = 0]) => quarterPeriod(year, quarter) },
  { pattern: QUARTER, read: ([quarter = 0], today) => ofYears((one) => quarterPeriod(one, quarter), undefined, today) },
];

/** Finds weeks of the calendar and quarters: 2026-W21, KW 21, week 21 of 2026, Q3 2026, in Q3. */
export function weekFindings(text: string, today: CivilDay): Finding[] {
  return SHAPES.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].slice(0, MAX_OF_SHAPE).flatMap((match): Finding[] => {
      const numbers = match.slice(1).map((group) => (group === undefined ? undefined : Number(group)));
      const period = read(numbers, today);
      return period ? [{ start: match.index, end: match.index + match[0].length, period, isName: true }] : [];
    }),
  );
}

/** Returns a week of the calendar, or one of its days, by ISO 8601: the first week has the year's first Thursday. */
function weekPeriod(year: number, week: number, day?: number): Period | undefined {
  const fourth = civilDay(year, 1, 4);
  if (fourth === undefined || week < 1) return undefined;
  const monday = addDays(fourth, 7 * (week - 1) - weekdayOf(fourth));
  if (partsOf(addDays(monday, 3)).year !== year) return undefined;
  return day === undefined ? daysPeriod(monday, addDays(monday, 6)) : dayPeriod(addDays(monday, day - 1));
}

function quarterPeriod(year: number, quarter: number): Period | undefined {
  const first = civilDay(year, 3 * quarter - 2, 1);
  const next = quarter === 4 ? civilDay(year + 1, 1, 1) : civilDay(year, 3 * quarter + 1, 1);
  return first === undefined || next === undefined ? undefined : daysPeriod(first, addDays(next, -1));
}

/** Returns the period in the given year. Without a year, the latest period that has begun is first, then the one before it. */
function ofYears(
  periodOf: (year: number) => Period | undefined,
  year: number | undefined,
  today: CivilDay,
): Period | undefined {
  if (year !== undefined) return periodOf(year);
  const now = partsOf(today).year;
  const [first, ...ranges] = [now, now - 1, now - 2]
    .flatMap((one) => periodOf(one)?.ranges ?? [])
    .filter(({ from }) => from <= today)
    .slice(0, 2);
  return first && { ranges: [first, ...ranges] };
}
