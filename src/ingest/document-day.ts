import { type CivilDay, civilDay } from "../base/civil-day.ts";
import { fold } from "../base/fold.ts";
import { monthsByName } from "../base/month-names.ts";

const YEAR = "((?:19|20)\\d{2})";

/** Dates in numbers with the year first: 2026-03-14, 2026_3_14, 2026/03/14. */
const YEAR_FIRST = new RegExp(`(?<![\\dvV.])${YEAR}[-_./ ](\\d{1,2})[-_./ ](\\d{1,2})(?!\\d)`, "g");
/** 20260314, alone or before a time: 20260314T0915, 202603140915. */
const COMPACT = new RegExp(`(?<!\\d)${YEAR}(\\d{2})(\\d{2})(?=(?:\\d{4}(?:\\d{2})?)?(?!\\d))`, "g");
/** 14.03.2026, 14-03-2026, 03/14/2026. */
const YEAR_LAST = new RegExp(`(?<![\\d.])(\\d{1,2})([-_./ ])(\\d{1,2})\\2${YEAR}(?!\\d)`, "g");
/** 14 March 2026, 14. März 2026. */
const DAY_MONTH = new RegExp(
  `(?<![\\p{L}\\d])(\\d{1,2})(?:st|nd|rd|th|er|\\.)?[\\s_-]+(?:of |de )?(\\p{L}{3,})\\.?,?[\\s_-]+(?:de )?${YEAR}(?!\\d)`,
  "gu",
);
/** Mar 14th, 2026. */
const MONTH_DAY = new RegExp(
  `(?<!\\p{L})(\\p{L}{3,})\\.?[\\s_-]+(\\d{1,2})(?:st|nd|rd|th)?,?[\\s_-]+${YEAR}(?!\\d)`,
  "gu",
);
/** 2026 March 14, 2026-Mar-14. */
const YEAR_MONTH = new RegExp(`(?<!\\d)${YEAR}[\\s_/-]+(\\p{L}{3,})[\\s_/-]+(\\d{1,2})(?!\\d)`, "gu");
/** A year, a word and a number, without which no month's name is looked up. */
const MAY_BE_NAMED = /(?:19|20)\d{2}/;

/** The properties of a front matter that date a document, the most certain first. */
const PROPERTIES = ["date", "created", "created_at", "created at", "date created", "creation_date", "datecreated"];
/** The beginning of a document in which its front matter is looked for. */
const MAX_FRONT_MATTER_CHARS = 16_384;
const MAX_VALUE_CHARS = 200;
const PROPERTY = /^["']?([\w -]{1,40}?)["']?\s*[:=]\s*(.*)$/;

/**
 * Returns the day that a document is about: the day in its path, as in `memory/2026-03-14.md` or
 * `journals/2026_03_14.md`, or else the day in its front matter (`date`, `created`); undefined if
 * neither has one.
 */
export function documentDay(path: string, content: string): CivilDay | undefined {
  return dayInName(path) ?? dayOfFrontMatter(content);
}

/** Returns the last day that a path or a value names. */
export function dayInName(name: string): CivilDay | undefined {
  const text = name.normalize("NFKC");
  const found = [
    ...days(text, YEAR_FIRST, ([year, month, day]) => civilDay(Number(year), Number(month), Number(day))),
    ...days(text, COMPACT, ([year, month, day]) => civilDay(Number(year), Number(month), Number(day))),
    ...days(text, YEAR_LAST, ([first, sign, second, year]) => dayOfYearLast(first, second, year, sign)),
    ...(MAY_BE_NAMED.test(text) ? namedDays(fold(text)) : []),
  ];
  return found.toSorted((a, b) => b.end - a.end)[0]?.day;
}

interface PlacedDay {
  day: CivilDay;
  end: number;
}

function days(text: string, pattern: RegExp, read: (groups: readonly string[]) => CivilDay | undefined): PlacedDay[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const day = read(match.slice(1));
    return day === undefined ? [] : [{ day, end: match.index + match[0].length }];
  });
}

/** Reads a date whose year is last. Only full stops say that the day comes first. */
function dayOfYearLast(one = "", two = "", year = "", sign = ""): CivilDay | undefined {
  const [first, second] = [Number(one), Number(two)];
  if (sign === "." || first > 12 || first === second) return civilDay(Number(year), second, first);
  return second > 12 ? civilDay(Number(year), first, second) : undefined;
}

function namedDays(text: string): PlacedDay[] {
  const read = (year = "", month = "", day = "") => {
    const number = monthsByName().get(month);
    return number === undefined ? undefined : civilDay(Number(year), number, Number(day));
  };
  return [
    ...days(text, DAY_MONTH, ([day, month, year]) => read(year, month, day)),
    ...days(text, MONTH_DAY, ([month, day, year]) => read(year, month, day)),
    ...days(text, YEAR_MONTH, ([year, month, day]) => read(year, month, day)),
  ];
}

function dayOfFrontMatter(content: string): CivilDay | undefined {
  const opening = /^(?:\uFEFF)?(---|\+\+\+)[ \t]*\r?\n/.exec(content.slice(0, 16));
  if (!opening) return undefined;
  const values = new Map<string, string>();
  let isClosed = false;
  for (const line of content.slice(opening[0].length, MAX_FRONT_MATTER_CHARS).split("\n")) {
    const text = line.trimEnd();
    isClosed = text === opening[1] || (text === "..." && opening[1] === "---");
    if (isClosed) break;
    const [, name, value] = PROPERTY.exec(text.slice(0, MAX_VALUE_CHARS)) ?? [];
    if (name !== undefined && value !== undefined && !values.has(name.toLowerCase()))
      values.set(name.toLowerCase(), value);
  }
  // A thematic break opens no front matter.
  if (!isClosed) return undefined;
  for (const name of PROPERTIES) {
    const day = firstDay(values.get(name) ?? "");
    if (day !== undefined) return day;
  }
  return undefined;
}

/** Returns the day of a value. A time keeps the day that is written, whatever its time zone. */
function firstDay(value: string): CivilDay | undefined {
  const iso = /^["'[\s]*(\d{4})-(\d{2})-(\d{2})/.exec(value);
  return iso ? civilDay(Number(iso[1]), Number(iso[2]), Number(iso[3])) : dayInName(value);
}
