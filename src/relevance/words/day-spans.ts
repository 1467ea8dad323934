import { type CivilDay, civilDay, partsOf } from "../../base/civil-day.ts";
import { type Days, dayPeriod, daysPeriod, type Finding, lengthOf, type Period } from "./periods.ts";

/** The words before the first end of a period, and between its ends. */
const PAIRS = [
  {
    open: "between|zwischen|entre|tra|fra|tussen|mellan|mellem|mellom|miedzy|между",
    join: "and|und|et|y|e|en|och|og|i|и",
  },
  {
    open: "from|vom|von|du|de|del|desde|dal|dall|van|fran|fra|od|с",
    join: "to|until|till|through|bis|au|al|a|ao|ate|hasta|tot|t/m|til|do|по",
  },
];
/** Short words before a day, such as "the" and "en met de". */
const ARTICLES = "(?:\\p{L}{1,4}\\s|l['’]){0,3}";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th|er|go|го|[.eo])?";
/** The first end of a period before the last one with the month: "between 10 and" 19 November. */
const BEFORE = [
  ...PAIRS.map(
    ({ open, join }) => new RegExp(`(?<=^|\\s)(?:${open})[\\s'’]${ARTICLES}${DAY}\\s(?:${join})\\s${ARTICLES}$`, "du"),
  ),
  new RegExp(`(?<=^|[\\s(])${DAY}\\s?[-–]\\s?$`, "du"),
];
/** The last end of a period after the first one with the month: between November 10 "and 19". */
const AFTER = PAIRS.map(({ open, join }) => ({
  before: new RegExp(`(?<=^|\\s)(?:${open})[\\s'’]${ARTICLES}$`, "u"),
  after: new RegExp(
    `^\\s(?:${join})\\s${ARTICLES}${DAY}(?![\\p{L}\\p{N}%]|[.:,]\\p{N})(?:,?\\s(?<year>(?:19|20)\\d{2})(?!\\p{N}))?`,
    "du",
  ),
}));
/** The most characters beside a date that are read. */
const MAX_BESIDE = 60;

/**
 * Finds the periods of which only one end has the month, such as "between 10 and 19 November".
 *
 * @param text folded
 * @param read the dates that were read in it
 */
export function daySpans(text: string, read: readonly Finding[]): Finding[] {
  const dates = read.filter(({ isName, period }) => isName && lengthOf(period) === 1);
  // An end with a month of its own is a date of its own.
  const isFree = ({ at }: Span) => !dates.some(({ start, end }) => start <= at && at < end);
  return dates.flatMap((date) => [...endingWith(text, date), ...beginningWith(text, date)].filter(isFree));
}

interface Span extends Finding {
  /** The place of the day that has no month. */
  readonly at: number;
}

function endingWith(text: string, { start, end, period }: Finding): Span[] {
  const first = Math.max(0, start - MAX_BESIDE);
  return BEFORE.flatMap((pattern) => {
    const match = pattern.exec(text.slice(first, start));
    const span =
      match && spanned(period, ({ from }) => ({ from: sameMonth(from, Number(match.groups?.day)), last: from }));
    if (!span) return [];
    return [{ start: first + match.index, end, period: span, at: first + (match.indices?.groups?.day?.[0] ?? 0) }];
  });
}

function beginningWith(text: string, { start, end, period }: Finding): Span[] {
  return AFTER.flatMap(({ before, after }) => {
    const open = before.exec(text.slice(Math.max(0, start - MAX_BESIDE), start));
    const match = open && after.exec(text.slice(end, end + MAX_BESIDE));
    if (!match) return [];
    const { day, year } = match.groups ?? {};
    const { month, day: first } = partsOf(period.ranges[0].from);
    const inYear = year === undefined ? undefined : civilDay(Number(year), month, first);
    const dated = inYear === undefined ? period : dayPeriod(inYear);
    const span = spanned(dated, ({ from }) => ({ from, last: sameMonth(from, Number(day)) }));
    if (!span) return [];
    return [{ start, end: end + match[0].length, period: span, at: end + (match.indices?.groups?.day?.[0] ?? 0) }];
  });
}

/** Returns the period from one end to another in the month of each of its days. */
function spanned(
  { ranges, isYearly }: Period,
  endsOf: (days: Days) => { from: CivilDay | undefined; last: CivilDay | undefined },
): Period | undefined {
  const [first, ...others] = ranges.flatMap((days) => {
    const { from, last } = endsOf(days);
    return from !== undefined && last !== undefined && from < last ? daysPeriod(from, last).ranges : [];
  });
  return first && { ranges: [first, ...others], ...(isYearly ? { isYearly } : {}) };
}

function sameMonth(date: CivilDay, day: number): CivilDay | undefined {
  const { year, month } = partsOf(date);
  return civilDay(year, month, day);
}
