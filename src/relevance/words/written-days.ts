import { addDays, type CivilDay, type DayRange, daysBetween, partsOf, weekdayOf } from "../../base/civil-day.ts";
import { fold } from "../../base/fold.ts";
import { type Days, type Finding, isOfPeriod, lengthOf, type Period } from "./periods.ts";
import { tenseOf } from "./question-tense.ts";
import { monthDayFindings, weekdaysAfter } from "./read-dates.ts";
import { numericFindings } from "./read-numeric-dates.ts";
import { type TimeWords, timeWordsOf, UNSPACED } from "./time-words.ts";

/** The most days that texts may name: a month. */
const MAX_DAYS = 31;
/** The most days whose written forms are looked for. Of more days, only the months are. */
const MAX_FORMS = 14;
/** The most languages in which they are looked for. */
const MAX_LANGUAGES = 4;
/** How far from the day of its text a date without a year may lie: half a year, so that it is the nearest. */
const MAX_DISTANCE = 183;
/** The most characters between a weekday and its date: "Thursday, the 3rd of December". */
const MAX_GAP = 8;
/** The characters beside a weekday in which its date is looked for, and the most weekdays of a text. */
const DATE_CHARS = 40;
const MAX_WEEKDAYS = 8;

/** The days of a question's periods as texts write them: "30 November", "2026-11-30", "Monday". */
export interface WrittenDays {
  /** The written forms, as a query for the keyword arm. */
  readonly query: string;
  /**
   * Returns the day of the periods that a text names; undefined if it names none.
   *
   * @param days the text's own days, by which weekdays, "yesterday" and dates without a year are understood
   * @param isCertain whether these are more than the days of a file's last change
   */
  namedIn(text: string, days: DayRange, isCertain: boolean): Days | undefined;
}

/**
 * Returns the days of periods of at most a month as texts in some languages write them; undefined if the periods are
 * longer. A plan is written before its day, so the text's own day is another one.
 *
 * @param names the words of the question that name the days, folded
 */
export async function writtenDaysOf(
  periods: readonly Period[],
  names: readonly string[],
  languages: readonly string[],
): Promise<WrittenDays | undefined> {
  const count = periods.reduce((sum, period) => sum + lengthOf(period), 0);
  if (count === 0 || count > MAX_DAYS) return undefined;
  const ranges = periods.flatMap(rangesOf);
  const days = ranges.flatMap(({ from, to }) =>
    Array.from({ length: daysBetween(from, to) }, (_, after) => dayOf(addDays(from, after))),
  );
  const all = (await timeWordsOf(languages.slice(0, MAX_LANGUAGES))).map((one) => onlyOf(days, one));
  const months = [...new Map(days.map(({ from }) => [from.slice(0, "2026-01".length), from])).values()];
  const written = ({ words: { language } }: DayWords) =>
    days.length > MAX_FORMS
      ? months.flatMap((month) => monthForms(month, language))
      : days.flatMap(({ from }) => formsOf(from, language));
  const forms = [...all.flatMap(written), ...all.flatMap(({ relative }) => relative.map(({ text }) => text))];
  const namedIn = (text: string, own: DayRange, isCertain: boolean) =>
    dayNamedIn(text, all, { days, names, own, isCertain });
  return { query: [...new Set(forms)].join(" "), namedIn };
}

/** Returns the ranges of a period; of one without a year, the latest and the next. */
function rangesOf({ ranges, isYearly }: Period): readonly Days[] {
  if (!isYearly) return ranges;
  const [latest, ...others] = ranges;
  const later = others.filter(({ from }) => from > latest.from).toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return [latest, ...later.slice(0, 1)];
}

/** A date in numbers, or in the signs of Chinese, Japanese and Korean. */
const NUMBERS = /\p{Nd}[./_-]\s?\p{Nd}|\p{Nd}\s?[月월]/u;
/** The least letters of a month's name that its cases have in common, and how many a case may change. */
const STEM = { least: 3, changed: 2 };

/** A language's words, and the same with only the months and weekdays of some days, so that texts without them cost little. */
interface DayWords {
  readonly words: TimeWords;
  readonly only: TimeWords;
  readonly stems: readonly string[];
  /** The phrases that name another day than the day of the text, such as "yesterday". */
  readonly relative: readonly RelativeDay[];
}

interface RelativeDay {
  readonly text: string;
  readonly offset: number;
  /** Matches the phrase as whole words, unless the language has no spaces. */
  readonly pattern: RegExp;
}

/** How many days the day of a phrase may be away: for a longer time, people write the date. */
const MAX_OFFSET = 2;

const relativeOf = new Map<string, readonly RelativeDay[]>();

/** Returns a language's phrases for other days. Their patterns are compiled once, and not in every search. */
function relativeDays(words: TimeWords): readonly RelativeDay[] {
  const known = relativeOf.get(words.language);
  if (known) return known;
  const read = readRelativeDays(words);
  relativeOf.set(words.language, read);
  return read;
}

/** Reads the phrases, the longest first: "day before yesterday" is not "yesterday". */
function readRelativeDays({ phrases, language }: TimeWords): RelativeDay[] {
  const edge = UNSPACED.has(language) ? "" : "[\\p{L}\\p{M}\\p{N}]";
  const patternOf = (text: string) => {
    const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(edge === "" ? escaped : `(?<!${edge})${escaped}(?!${edge})`, "u");
  };
  return phrases
    .filter(({ unit, offset }) => unit === "day" && offset !== 0 && Math.abs(offset) <= MAX_OFFSET)
    .toSorted((one, other) => other.text.length - one.text.length)
    .map(({ text, offset }) => ({ text, offset, pattern: patternOf(text) }));
}

function onlyOf(days: readonly Days[], words: TimeWords): DayWords {
  const months = new Set(days.map(({ from }) => partsOf(from).month));
  const weekdays = new Set(days.map(({ from }) => weekdayOf(from)));
  const only = {
    ...words,
    months: new Map([...words.months].filter(([, month]) => months.has(month))),
    weekdays: new Map([...words.weekdays].filter(([, weekday]) => weekdays.has(weekday))),
  };
  const names = [...only.months.keys(), ...only.weekdays.keys()];
  return {
    words,
    only,
    relative: relativeDays(words),
    stems: names.map((name) => name.slice(0, Math.max(STEM.least, name.length - STEM.changed))),
  };
}

/** The forms in which a language writes a day: with a long and a short month, and as a weekday. */
const FORMS: readonly Intl.DateTimeFormatOptions[] = [
  { day: "numeric", month: "long" },
  { day: "numeric", month: "short" },
  { weekday: "long" },
];
const formats = new Map<string, readonly Intl.DateTimeFormat[]>();

/** Returns the formats of a language. Making one takes some 70 µs, so they are kept. */
function formatsOf(language: string): readonly Intl.DateTimeFormat[] {
  const known = formats.get(language);
  if (known) return known;
  const made = FORMS.map(
    (form) => new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC", calendar: "gregory" }),
  );
  formats.set(language, made);
  return made;
}

/** Returns a day as a language writes it, with its weekday. */
function formsOf(day: CivilDay, language: string): string[] {
  const at = new Date(`${day}T12:00:00Z`);
  const { year, month, day: number } = partsOf(day);
  return [...formatsOf(language).map((format) => format.format(at)), day, `${number}.${month}.${year}`];
}

/** Returns the month of a day as a language writes it. */
function monthForms(day: CivilDay, language: string): string[] {
  const at = new Date(`${day}T12:00:00Z`);
  return (["long", "short"] as const).map((month) =>
    new Intl.DateTimeFormat(language, { month, timeZone: "UTC", calendar: "gregory" }).format(at),
  );
}

interface Asked {
  readonly days: readonly Days[];
  readonly names: readonly string[];
  readonly own: DayRange;
  readonly isCertain: boolean;
}

function dayNamedIn(text: string, all: readonly DayWords[], asked: Asked): Days | undefined {
  const { own, isCertain } = asked;
  const { from } = own;
  if (from === undefined) return undefined;
  const folded = fold(text);
  const languages = all.filter(({ stems }) => stems.some((stem) => folded.includes(stem)));
  const dates = [
    ...(NUMBERS.test(folded) ? numericFindings(folded, from) : []),
    ...languages.flatMap(({ only }) => monthDayFindings(folded, only, from)),
  ];
  const isNear = ({ from: day }: Days, isYearly = false) =>
    !isYearly || !isCertain || Math.abs(daysBetween(from, day)) <= MAX_DISTANCE;
  const isWritten = (day: Days) =>
    dates.some(({ period }) => lengthOf(period) === 1 && isOfPeriod(day, period) && isNear(day, period.isYearly));
  const written = asked.days.find(isWritten);
  // "We deploy on Tuesdays" in a file of no day is of no certain Tuesday.
  if (written || !isCertain) return written;
  return relativeDayIn(folded, all, asked) ?? weekdayNamedIn(folded, languages, asked);
}

/** Returns the day of the periods that a text of one day names by its distance: "yesterday". */
function relativeDayIn(folded: string, all: readonly DayWords[], { days, own }: Asked): Days | undefined {
  const { from, to } = own;
  if (from === undefined || to === undefined || daysBetween(from, to) > 1) return undefined;
  for (const { relative } of all) {
    const said = relative.find(({ pattern }) => pattern.test(folded));
    const found = said && days.find((day) => day.from === addDays(from, said.offset));
    if (found) return found;
  }
  return undefined;
}

/** Matches what makes a weekday a coming one, also behind a verb of the past: "moved to Friday". */
const TARGET =
  /(?<![\p{L}\p{M}])(?:to|until|till|by|for|before|auf|bis|für|fur|nach|au|pour|jusqu|al|hasta|para|a|per|tot|naar|til)[^\p{L}]*$/u;
/** Matches the end of a sentence. */
const SENTENCE_END = /[.!?\n。！？]/u;

/** Returns whether the sentence around a place of a text is in the past tense. */
function isOfPast(folded: string, { start, end }: Pick<Finding, "start" | "end">, language: string): boolean {
  const before = folded.slice(0, start).split(SENTENCE_END).at(-1) ?? "";
  const [after = ""] = folded.slice(end).split(SENTENCE_END, 1);
  if (TARGET.test(before)) return false;
  return tenseOf(`${before}${folded.slice(start, end)}${after}`, language) === "past";
}

/**
 * Returns the day of the periods that a text means by a weekday: the one before the text's day in a sentence about
 * the past ("I crashed the car on Thursday"), else the next one after it, or also the one before, if the question
 * names the weekday itself.
 */
function weekdayNamedIn(folded: string, languages: readonly DayWords[], asked: Asked): Days | undefined {
  const today = addDays(asked.own.to ?? asked.own.from ?? "", -1);
  for (const { only, words } of languages)
    for (const { start, end, period } of weekdaysAfter(folded, only, today).slice(0, MAX_WEEKDAYS)) {
      const [next] = period.ranges;
      const isNamed = asked.names.some((name) => name.includes(folded.slice(start, end)));
      const last = addDays(next.from, -7);
      const isPast = isOfPast(folded, { start, end }, words.language);
      const meant = isPast ? [last] : [next.from, ...(isNamed ? [last] : [])];
      const found = asked.days.find(({ from }) => meant.includes(from));
      if (found && !isBesideDate(folded, { start, end }, words, today)) return found;
    }
  return undefined;
}

/** Returns whether a weekday belongs to a date, which then says which day is meant. */
function isBesideDate(
  text: string,
  { start, end }: Pick<Finding, "start" | "end">,
  words: TimeWords,
  day: CivilDay,
): boolean {
  const begin = Math.max(0, start - DATE_CHARS);
  const around = text.slice(begin, end + DATE_CHARS);
  const dates = [...numericFindings(around, day), ...monthDayFindings(around, words, day)];
  return dates.some((date) => begin + date.start - end <= MAX_GAP && start - (begin + date.end) <= MAX_GAP);
}

function dayOf(day: CivilDay): Days {
  return { from: day, to: addDays(day, 1) };
}
