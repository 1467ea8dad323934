import { fold } from "../../base/fold.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";

/** A unit of the calendar. */
export type Unit = "day" | "week" | "month" | "year";

/** A phrase such as "last week": a unit, and how many units it is from now. */
interface Phrase {
  readonly text: string;
  readonly unit: Unit;
  readonly offset: number;
}

/** The texts around the number in "3 days ago". */
interface AgoPattern {
  readonly before: string;
  readonly after: string;
  readonly unit: Unit;
}

/** The words with which a language names days and periods, folded. */
export interface TimeWords {
  readonly language: string;
  /** Numbers of months, 1 to 12, by their names. */
  readonly months: ReadonlyMap<string, number>;
  /** The whole names among them. A short one such as "mar" or "out" may be another word. */
  readonly wholeMonths: ReadonlySet<string>;
  /** Numbers of weekdays, 0 for Monday, by their whole names. */
  readonly weekdays: ReadonlyMap<string, number>;
  readonly phrases: readonly Phrase[];
  readonly ago: readonly AgoPattern[];
  /** The words of units, such as "weeks". */
  readonly units: ReadonlyMap<string, Unit>;
  /** The words that make a past of a number of units, such as "ago". */
  readonly agoWords: readonly string[];
  /** The words that make a future of a unit, such as "next". */
  readonly nextWords: ReadonlySet<string>;
  /** The words that make a past of a unit, such as "last". */
  readonly lastWords: ReadonlySet<string>;
  /** The first letters of all of these words (`stemOf`), by which most questions are sorted out. */
  readonly stems: ReadonlySet<string>;
}

/** The languages that are read, by the script of their letters. */
export const LANGUAGES_OF: Readonly<Record<string, readonly string[]>> = {
  Latin: "en de fr es it pt nl sv da nb fi pl cs sk hu tr ro id vi ca hr sl et lv lt".split(" "),
  Cyrillic: ["ru", "uk", "bg", "sr"],
  Greek: ["el"],
  Arabic: ["ar", "fa"],
  Hebrew: ["he"],
  Devanagari: ["hi"],
  Thai: ["th"],
  Hangul: ["ko"],
  Japanese: ["ja"],
  Chinese: ["zh", "zh-Hant", "ja"],
};

/** The languages whose words are not separated by spaces, or have endings that belong to no word. */
export const UNSPACED: ReadonlySet<string> = new Set(["ja", "zh", "zh-Hant", "th", "ko"]);

const UNITS: readonly Unit[] = ["day", "week", "month", "year"];
/** Numbers for which languages have different plurals. */
const COUNTS = [1, 2, 3, 5, 11, 21];

/**
 * Usual phrases that the Unicode locale data does not have: it has one phrase for each meaning.
 */
const FURTHER: Readonly<Record<string, readonly Phrase[]>> = {
  en: [
    { text: "day before yesterday", unit: "day", offset: -2 },
    { text: "this morning", unit: "day", offset: 0 },
    { text: "this afternoon", unit: "day", offset: 0 },
    { text: "this evening", unit: "day", offset: 0 },
    { text: "tonight", unit: "day", offset: 0 },
    { text: "last night", unit: "day", offset: -1 },
    { text: "week before last", unit: "week", offset: -2 },
    { text: "month before last", unit: "month", offset: -2 },
    { text: "year before last", unit: "year", offset: -2 },
    { text: "day after tomorrow", unit: "day", offset: 2 },
  ],
  es: [
    { text: "antes de ayer", unit: "day", offset: -2 },
    { text: "anoche", unit: "day", offset: -1 },
  ],
  fr: [{ text: "avant hier", unit: "day", offset: -2 }],
  it: [
    { text: "altro ieri", unit: "day", offset: -2 },
    { text: "altroieri", unit: "day", offset: -2 },
    { text: "scorsa settimana", unit: "week", offset: -1 },
    { text: "scorso mese", unit: "month", offset: -1 },
    { text: "scorso anno", unit: "year", offset: -1 },
  ],
  pt: [
    { text: "última semana", unit: "week", offset: -1 },
    { text: "último mês", unit: "month", offset: -1 },
  ],
  nl: [
    { text: "afgelopen week", unit: "week", offset: -1 },
    { text: "afgelopen maand", unit: "month", offset: -1 },
    { text: "afgelopen jaar", unit: "year", offset: -1 },
  ],
  ja: [
    { text: "きのう", unit: "day", offset: -1 },
    { text: "おととい", unit: "day", offset: -2 },
    { text: "去年", unit: "year", offset: -1 },
    { text: "先々週", unit: "week", offset: -2 },
  ],
  zh: [
    { text: "上星期", unit: "week", offset: -1 },
    { text: "上个星期", unit: "week", offset: -1 },
    { text: "上礼拜", unit: "week", offset: -1 },
    { text: "这周", unit: "week", offset: 0 },
    { text: "这个星期", unit: "week", offset: 0 },
    { text: "上月", unit: "month", offset: -1 },
    { text: "昨日", unit: "day", offset: -1 },
  ],
  pl: [
    { text: "zeszły tydzień", unit: "week", offset: -1 },
    { text: "ubiegłym tygodniu", unit: "week", offset: -1 },
    { text: "dziś", unit: "day", offset: 0 },
  ],
};

const known = new Map<string, TimeWords>();

/**
 * Returns the time words of languages. They come from the Unicode locale data of the runtime. A
 * language takes some milliseconds when it is first read, so others run between two languages.
 */
export async function timeWordsOf(languages: readonly string[]): Promise<TimeWords[]> {
  const all: TimeWords[] = [];
  for (const language of languages) {
    let words = known.get(language);
    if (words === undefined) {
      words = readTimeWords(language);
      known.set(language, words);
      await yieldToLoop();
    }
    all.push(words);
  }
  return all;
}

/** The letters that the cases of a word have in common: "мае" and "май", "среду" and "среда". */
const STEM_CHARS = 2;

/** Returns the letters with which a word begins in any case. */
export function stemOf(word: string): string {
  return word.slice(0, STEM_CHARS);
}

/** Returns the word of a phrase that says most: "week" of "this week", "går" of "i går". */
function longestWord(phrase: string): string {
  return phrase.split(/[\s']+/).reduce((longest, word) => (word.length >= longest.length ? word : longest), "");
}

function readTimeWords(language: string): TimeWords {
  const ago = agoPatterns(language);
  const wholeMonths = monthNames(language, "long");
  const months = new Map([...monthNames(language, "short"), ...wholeMonths]);
  const weekdays = weekdayNames(language);
  const phrases = phrasesOf(language);
  const units = unitWords(language, ago);
  const words = [
    ...months.keys(),
    ...weekdays.keys(),
    ...units.keys(),
    ...phrases.map(({ text }) => longestWord(text)),
  ];
  return {
    language,
    months,
    wholeMonths: new Set(wholeMonths.keys()),
    weekdays,
    phrases,
    ago,
    units,
    stems: new Set(words.map(stemOf)),
    agoWords: agoWords(ago),
    nextWords: wordsBeside(language, 1),
    lastWords: wordsBeside(language, -1),
  };
}

/** Returns the names of months: alone, and beside a day, which other cases may need. */
function monthNames(language: string, width: "short" | "long"): Map<string, number> {
  const names = new Map<string, number>();
  for (const beside of [{}, { day: "numeric" as const }]) {
    const format = new Intl.DateTimeFormat(language, { month: width, timeZone: "UTC", calendar: "gregory", ...beside });
    for (let month = 1; month <= 12; month++) {
      const parts = format.formatToParts(Date.UTC(2024, month - 1, 1));
      const name = fold(parts.find(({ type }) => type === "month")?.value ?? "").replace(/[.]$/, "");
      if (/^\p{L}[\p{L}\p{M}]+$/u.test(name)) names.set(name, month);
    }
  }
  // "Sept" is usual in English; the locale data has "Sep".
  if (language === "en" && width === "short") names.set("sept", 9);
  return names;
}

function weekdayNames(language: string): Map<string, number> {
  const format = new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC", calendar: "gregory" });
  // 1 January 2024 was a Monday.
  return new Map(Array.from({ length: 7 }, (_, day) => [fold(format.format(Date.UTC(2024, 0, 1 + day))), day]));
}

function phrasesOf(language: string): Phrase[] {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const found = new Map<string, Phrase>();
  for (const unit of UNITS)
    for (const offset of [-2, -1, 0, 1, 2])
      for (const text of spellings(fold(format.format(offset, unit))))
        if (!found.has(text)) found.set(text, { text, unit, offset });
  for (const one of FURTHER[language] ?? []) found.set(fold(one.text), { ...one, text: fold(one.text) });
  return [...found.values()];
}

/**
 * Returns a phrase as it is, without its article or preposition ("la semana pasada"), and two short
 * words as one ("i går").
 */
function spellings(text: string): string[] {
  // "2 weeks ago" is a pattern of its own.
  if (/\p{N}/u.test(text)) return [];
  const words = text.split(/(?<=')|\s+/);
  const [first = "", ...rest] = words;
  if (rest.length === 0 || first.length > 2) return [text];
  return rest.length === 1 && !first.endsWith("'") ? [text, first + rest[0]] : [text, rest.join(" ")];
}

function agoPatterns(language: string): AgoPattern[] {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  const found = new Map<string, AgoPattern>();
  for (const unit of UNITS)
    for (const count of COUNTS) {
      const parts = format.formatToParts(-count, unit);
      const at = parts.findIndex(({ type }) => type === "integer");
      if (at < 0) continue;
      const text = (some: typeof parts) =>
        fold(some.map(({ value }) => value).join(""))
          .replace(/[()]/g, "")
          .trim();
      const pattern = { before: text(parts.slice(0, at)), after: text(parts.slice(at + 1)), unit };
      found.set(JSON.stringify(pattern), pattern);
    }
  return [...found.values()];
}

/** Returns the words for "ago": the text before the number, or else the last word after it. */
function agoWords(patterns: readonly AgoPattern[]): string[] {
  const words = patterns.map(({ before, after }) => before || (after.split(" ").at(-1) ?? ""));
  return [...new Set(words)].filter(Boolean);
}

function unitWords(language: string, ago: readonly AgoPattern[]): Map<string, Unit> {
  const found = new Map<string, Unit>();
  const add = (text: string, unit: Unit) => {
    for (const word of fold(text).match(/[\p{L}\p{M}]+/gu) ?? []) if (word.length > 1) found.set(word, unit);
  };
  for (const unit of UNITS) {
    const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
    for (const count of COUNTS)
      for (const { type, value } of format.formatToParts(count)) if (type === "unit") add(value, unit);
  }
  // A case that only "ago" needs, such as "Tagen", is the first word after the number.
  for (const { after, unit } of ago) add(after.split(" ")[0] ?? "", unit);
  return found;
}

/** Returns the words that say "next" (1) or "last" (-1) of a unit. */
function wordsBeside(language: string, offset: 1 | -1): Set<string> {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const wordsOf = (units: number, unit: Unit) => fold(format.format(units, unit)).match(/[\p{L}\p{M}]+/gu) ?? [];
  const found = new Set<string>();
  for (const unit of ["week", "month", "year"] as const) {
    const others = new Set([...wordsOf(-offset, unit), ...wordsOf(0, unit)]);
    for (const word of wordsOf(offset, unit)) if (!others.has(word)) found.add(word);
  }
  return found;
}
