import { type CivilDay, civilDay, dayIn } from "../base/civil-day.ts";
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
/** A folder of the year and one of the month with its name: 2026/03-March/14. */
const YEAR_FOLDERS = new RegExp(`(?<!\\d)${YEAR}[/-](\\d{1,2})[-_. ]\\p{L}{3,12}[/-](\\d{1,2})(?!\\d)`, "gu");
/** 2026年3月14日. */
const EAST_ASIAN = new RegExp(`(?<!\\d)${YEAR}\\s?[年년]\\s?(\\d{1,2})\\s?[月월]\\s?(\\d{1,2})\\s?[日일]`, "gu");
/** A year, a word and a number, without which no month's name is looked up. */
const MAY_BE_NAMED = /(?:19|20)\d{2}/;

/** The properties of a front matter that date a document, the most certain first, without signs and spaces. */
const PROPERTIES =
  "date day datum created createdat datecreated createdtime createdon creationdate creationtime meetingdate eventdate entrydate journaldate published publishedat publishdate publisheddate pubdate datepublished".split(
    " ",
  );
/** The beginning of a document in which its front matter is looked for. */
const MAX_FRONT_MATTER_CHARS = 16_384;
const MAX_VALUE_CHARS = 200;
const PROPERTY = /^(?:#\+)?["']?([\w -]{1,40}?)["']?\s*(?:::?|=)\s*(.*)$/;
/** A Unix time in seconds or milliseconds. */
const UNIX_TIME = /^(\d{10})(?:\d{3})?$/;

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
    ...[YEAR_FIRST, COMPACT, YEAR_FOLDERS, EAST_ASIAN].flatMap((pattern) =>
      days(text, pattern, ([year, month, day]) => civilDay(Number(year), Number(month), Number(day))),
    ),
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
  const values = propertiesOf(content.slice(0, MAX_FRONT_MATTER_CHARS));
  for (const name of PROPERTIES) {
    const day = firstDay(values.get(name) ?? "");
    if (day !== undefined) return day;
  }
  return undefined;
}

/** Returns the properties at the beginning of a document by their names, in small letters without signs. */
function propertiesOf(text: string): Map<string, string> {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => line.trimEnd());
  const fence = lines[0] === "---" || lines[0] === "+++" ? lines[0] : undefined;
  const isClosing = (line: string) => line === fence || (line === "..." && fence === "---");
  const end = fence === undefined ? firstOther(lines) : lines.findIndex((line, at) => at > 0 && isClosing(line));
  const values = new Map<string, string>();
  let last = "";
  // A thematic break, which nothing closes, opens no front matter.
  for (const line of lines.slice(fence === undefined ? 0 : 1, Math.max(0, end))) {
    const [, name, value = ""] = PROPERTY.exec(line.slice(0, MAX_VALUE_CHARS)) ?? [];
    const item = /^\s*-\s+(.*)$/.exec(line.slice(0, MAX_VALUE_CHARS))?.[1];
    if (item !== undefined && values.get(last) === "") values.set(last, item);
    if (name === undefined) continue;
    last = name.toLowerCase().replace(/[\s_-]/g, "");
    if (!values.has(last)) values.set(last, value);
  }
  return values;
}

/** Returns the first line that is no property of Logseq ("date:: …") or Org ("#+DATE: …"). */
function firstOther(lines: readonly string[]): number {
  const at = lines.findIndex((line) => !/^(?:[\w-]{1,40}:: |#\+\w{1,40}: )/.test(line));
  return at < 0 ? lines.length : at;
}

/** Returns the day of a value. A time keeps the day that is written, whatever its time zone. */
function firstDay(value: string): CivilDay | undefined {
  const [, seconds] = UNIX_TIME.exec(value) ?? [];
  if (seconds !== undefined) return dayIn("UTC", new Date(Number(seconds) * 1000));
  const iso = /^["'[<\s]*(\d{4})-(\d{2})-(\d{2})/.exec(value);
  return iso ? civilDay(Number(iso[1]), Number(iso[2]), Number(iso[3])) : dayInName(value);
}
