import type { CivilDay } from "../../base/civil-day.ts";
import { datePeriod, dayOfMonthPeriod, type Finding, yearPeriod } from "./periods.ts";
import type { Tense } from "./question-tense.ts";

interface DateParts {
  year?: number | undefined;
  month?: number | undefined;
  day?: number | undefined;
}

const YEAR = "((?:19|20)\\d{2})";
// A number that is part of a longer name, such as PROJ-2026-11 or 1.2.3, is no date.
const BEFORE = "(?<![\\p{L}\\p{N}_.-])";
const AFTER = "(?![\\p{N}_-]|[.,/]\\p{N})";

/** The words before a date without its year: other numbers with a stop or a slash are chapters and fractions. */
const ON = "(?<=\\b(?:am|vom|zum|seit|bis|ab|on|since|until|till|from|by|le|du|depuis|el|del|desde|hasta|il|dal)\\s)";

/** The shapes of dates in numbers, with the order of their parts. */
const SHAPES: readonly {
  pattern: RegExp;
  read: (numbers: readonly (number | undefined)[]) => DateParts | undefined;
}[] = [
  { pattern: shape(`${YEAR}-(\\d{2})-(\\d{2})(?!\\p{N})`), read: yearFirst },
  { pattern: shape(`${YEAR}-(\\d{2})${AFTER}`), read: yearFirst },
  { pattern: shape(`(?<!/)(0?[1-9]|1[0-2])/${YEAR}(?!/)${AFTER}`), read: ([month, year]) => ({ year, month }) },
  { pattern: shape(`${YEAR}_(\\d{2})_(\\d{2})(?!\\p{N})`), read: yearFirst },
  { pattern: shape(`${YEAR}\\.(\\d{2})\\.(\\d{2})${AFTER}`), read: yearFirst },
  { pattern: shape(`${YEAR}/(\\d{1,2})/(\\d{1,2})${AFTER}`), read: yearFirst },
  { pattern: shape(`(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?${YEAR}${AFTER}`), read: dayFirst },
  { pattern: shape(`(\\d{1,2})[/-](\\d{1,2})[/-]${YEAR}${AFTER}`), read: eitherFirst },
  // In a date without its year, a full stop follows both numbers, or a slash stands between them and one is above 12.
  { pattern: shape(`${ON}(\\d{1,2})\\.\\s?(\\d{1,2})\\.(?!\\p{N})`), read: dayFirst },
  { pattern: shape(`${ON}(?!24/7(?!\\p{N}))(\\d{1,2})/(\\d{1,2})${AFTER}(?!/)`), read: eitherFirst },
  { pattern: /(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일号號])?/gu, read: yearFirst },
  { pattern: /(?<!\p{N})(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일号號])?/gu, read: ([month, day]) => ({ month, day }) },
  { pattern: /(?<!\p{N})((?:19|20)\d{2})\s?[年년](?!前|전)/gu, read: yearFirst },
];

/** The most findings of one shape; of a pasted text the first ones count. */
const MAX_OF_SHAPE = 8;

/**
 * Finds dates in numbers: 2026-05-09, 2026/5/9, 9.5.2026, 25/12/2026, 05/2026, 5月9日. After a word such as "on" it
 * also finds dates without a year: 24.11. and 11/24. Countries disagree on
 * the order of 5/9/2026, so it is no date.
 */
export function numericFindings(text: string, today: CivilDay): Finding[] {
  return SHAPES.flatMap(({ pattern, read }) =>
    matchesOf(pattern, text).flatMap((match): Finding[] => {
      const [whole, ...groups] = match;
      const parts = read(groups.map((group) => (group === undefined ? undefined : Number(group))));
      const period = parts && periodOf(parts, today);
      return period ? [{ start: match.index, end: match.index + whole.length, period, isName: true }] : [];
    }),
  );
}

/** Matches a date whose day and month countries write in different orders. */
const EITHER_ORDER = new RegExp(`${BEFORE}(0?[1-9]|1[0-2])[/-](0?[1-9]|1[0-2])[/-](?:${YEAR}|\\d\\d)${AFTER}`, "u");

/** Returns the first date of a text that is not read, because it means different days in different countries. */
export function ambiguousDate(text: string): string | undefined {
  const [date, first, second] = EITHER_ORDER.exec(text) ?? [];
  return Number(first) === Number(second) ? undefined : date;
}

/** Matches "on the 24th" where no month and no thing follows: "on the 24th floor" is no day. */
const ORDINAL =
  /(?<=(?<![\p{L}\p{N}])(?:on|by|since|until|till|from|before|after) )the (\d{1,2})(?:st|nd|rd|th)(?=\s*(?:[?.,!;:]|$)|\s(?:at|and|or|i|we|did|was|were|is|with|about)(?![\p{L}]))/gu;

/** Finds days of a month that is not named, in English: "on the 24th". */
export function ordinalFindings(folded: string, today: CivilDay, tense: Tense): Finding[] {
  return matchesOf(ORDINAL, folded).flatMap((match): Finding[] => {
    const period = dayOfMonthPeriod(Number(match[1]), today, tense);
    return period ? [{ start: match.index, end: match.index + match[0].length, period }] : [];
  });
}

function shape(pattern: string): RegExp {
  return new RegExp(BEFORE + pattern, "gu");
}

/** Yields the first matches only, so that a long text costs no more. */
function* firstMatches(pattern: RegExp, text: string) {
  let found = 0;
  for (const match of text.matchAll(pattern)) {
    yield match;
    if (++found === MAX_OF_SHAPE) return;
  }
}

function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  return [...firstMatches(pattern, text)];
}

function periodOf({ year, month, day }: DateParts, today: CivilDay) {
  if (month === undefined) return year === undefined ? undefined : yearPeriod(year);
  return month >= 1 && month <= 12 ? datePeriod({ year, month, day }, today) : undefined;
}

function yearFirst([year, month, day]: readonly (number | undefined)[]): DateParts {
  return { year, month, day };
}

function dayFirst([day, month, year]: readonly (number | undefined)[]): DateParts {
  return { year, month, day };
}

/** Reads a date whose order only its numbers tell. */
function eitherFirst([first = 0, second = 0, year]: readonly (number | undefined)[]): DateParts | undefined {
  if (first === second || first > 12) return { year, month: second, day: first };
  return second > 12 ? { year, month: first, day: second } : undefined;
}
