import { addDays, type CivilDay, civilDay, daysBetween, partsOf, weekdayOf } from "../../base/civil-day.ts";
import { type Days, dayPeriod, daysPeriod, type Finding, type Period, SATURDAY } from "./periods.ts";

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

/** Matches words that make a week of the day behind them; in group `begins`, those for a week that begins on it. */
const WEEK_OF =
  /(?<![\p{L}\p{N}])(?:(?:week|wk|semaine|semana|settimana)(?: (?:of|containing|with|du|del|de)| (?<begins>beginning|starting|commencing)(?: on)?)|woche (?:vom|um|ab)|week (?:van|vanaf))(?: the)? $/u;

/** Matches words that make a weekend of the day behind them. */
const WEEKEND_OF = /(?<![\p{L}\p{N}])(?:the )?weekend (?:of|around)(?: the)? $/u;
/** Matches words that make a part of the month behind them. */
const PART_OF =
  /(?<![\p{L}\p{N}])(?:the )?(?:(?<week>first|1st|second|2nd|third|3rd|fourth|4th|last) week(?: of| in)?|(?<part>early|mid|late|(?:middle|beginning|start|end)(?: of)?))[ -]$/u;
/** Matches words that ask for the time beside a period: "before the storm in mid October" may mean its first days. */
const BESIDE = /(?<![\p{L}\p{N}])(?:before|until|till|after|since)(?![\p{L}\p{N}])/u;
const WEEKS: Readonly<Record<string, number>> = { first: 0, second: 1, third: 2, fourth: 3 };
const TENTH = 10;

/**
 * Returns a finding with the days that the words before it make of it: the week of 16 November, the weekend of
 * 7 November, the first week of November, mid November.
 */
export function asWidened(one: Finding, text: string): Finding {
  const before = text.slice(0, one.start);
  const [week, weekend, part] = [WEEK_OF.exec(before), WEEKEND_OF.exec(before), PART_OF.exec(before)];
  if (one.kind) return one;
  if (part && isMonth(one.period.ranges[0]) && !BESIDE.test(before))
    return widened(one, part.index, (days) => partOfMonth(days, part.groups ?? {}));
  if (week)
    return widened(
      one,
      week.index,
      ofDay((day) => weekWith(day, week.groups?.begins !== undefined)),
    );
  return weekend ? widened(one, weekend.index, ofDay(weekendBy)) : one;
}

function widened(one: Finding, start: number, change: (days: Days) => Days): Finding {
  const [first, ...others] = one.period.ranges;
  return { ...one, start, period: { ...one.period, ranges: [change(first), ...others.map(change)] } };
}

/** Returns a function that changes a single day, and leaves longer periods. */
function ofDay(change: (day: CivilDay) => Days): (days: Days) => Days {
  return (days) => (addDays(days.from, 1) === days.to ? change(days.from) : days);
}

function weekWith(day: CivilDay, begins: boolean): Days {
  const from = begins ? day : addDays(day, -weekdayOf(day));
  return { from, to: addDays(from, 7) };
}

/** Returns the weekend with a day, or after it. */
function weekendBy(day: CivilDay): Days {
  const from = addDays(day, SATURDAY - weekdayOf(day));
  return { from, to: addDays(from, 2) };
}

function isMonth({ from, to }: Days): boolean {
  return partsOf(from).day === 1 && partsOf(to).day === 1 && daysBetween(from, to) < 32;
}

function partOfMonth({ from, to }: Days, { week, part }: Record<string, string | undefined>): Days {
  if (week === "last") return { from: addDays(to, -7), to };
  if (week !== undefined) {
    const start = addDays(from, 7 * (WEEKS[week] ?? Number.parseInt(week, 10) - 1));
    return { from: start, to: addDays(start, 7) };
  }
  if (part === "late" || part?.startsWith("end")) return { from: addDays(from, 2 * TENTH), to };
  const start = part?.startsWith("mid") ? addDays(from, TENTH) : from;
  return { from: start, to: addDays(start, TENTH) };
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
