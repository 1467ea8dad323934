import { addDays, type CivilDay, weekdayOf } from "../../base/civil-day.ts";
import {
  type Days,
  datePeriod,
  dayPeriod,
  type Finding,
  lastWeekday,
  lengthOf,
  type Period,
  unitPeriod,
  weekdayPeriod,
  weekendPeriod,
  yearPeriod,
} from "./periods.ts";
import type { Tense } from "./question-tense.ts";
import { type TimeWords, UNSPACED } from "./time-words.ts";

/** Words before which "may" or "march" is a month, even without a day or a year beside it. */
const BEFORE_MONTH = new Set(
  (
    "in during since until till by last this next early late mid whole entire summarize summarise im seit bis letzten diesen en depuis pendant desde " +
    "hasta durante em a ad da di nel sinds tot vorige afgelopen i sedan forra sidste forrige w od do przez v"
  ).split(" "),
);
/** Words before which a name is a month if it has no other meaning: "October" in "How was October?", but not "April". */
const BEFORE_PLAIN_MONTH = new Set("was my our".split(" "));
/** Months that are names of people or other words, too. */
const OTHER_WORDS = new Set("april may june august march".split(" "));
const BEFORE_YEAR = new Set("in during since until by of en im seit bis depuis desde em nel del de w в у v".split(" "));
/** Words between a day and its month, or a month and its year: 8th of May, 8 de mayo de 2023. */
const BETWEEN = new Set("st nd rd th of the de del er e го й".split(" "));
const TOKEN = /\p{Nd}+|[\p{L}\p{M}]+/gu;
/** The signs that may stand between the parts of a date. */
const JOINS = /^[\s.,'/-]{0,4}$/;
/** The most words of a question that are read. */
const MAX_TOKENS = 400;
const MAX_AGO = 999;

/** Numbers in words, for the languages whose locale of chrono-node reads none before "ago". */
const NUMBERS: Readonly<Record<string, string>> = {
  es: "un|una dos tres cuatro cinco seis siete ocho nueve diez",
  pt: "um|uma dois|duas tres quatro cinco seis sete oito nove dez",
  sv: "en|ett tva tre fyra fem sex sju atta nio tio",
  da: "en|et to tre fire fem seks syv otte ni ti",
  nb: "en|ett to tre fire fem seks syv atte ni ti",
  pl: "jeden dwa|dwie trzy cztery piec szesc siedem osiem dziewiec dziesiec",
  ja: "一 二 三 四 五 六 七 八 九 十",
  zh: "一 二|两 三 四 五 六 七 八 九 十",
  "zh-Hant": "一 二|兩 三 四 五 六 七 八 九 十",
};

interface Token {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds dates and periods by the names of months and weekdays, and by phrases such as "last week"
 * and "3 days ago".
 *
 * @param text folded
 */
export function wordFindings(text: string, words: TimeWords, today: CivilDay, tense: Tense): Finding[] {
  const tokens = tokensOf(text);
  return [
    ...monthFindings(text, tokens, words, today),
    ...weekdayFindings(text, tokens, words, (weekday, isLast) =>
      isLast ? lastWeekday(weekday, today) : weekdayPeriod(weekday, today, tense),
    ),
    ...phraseFindings(text, words, today),
    ...weekendFindings(text, today, tense),
    ...agoFindings(text, tokens, words, today),
  ];
}

/**
 * Finds days with a month's whole name, such as "9 mei". They are dates in any language, while most
 * other words have another meaning in another language.
 */
export function datedFindings(text: string, words: TimeWords, today: CivilDay): Finding[] {
  const months = new Map([...words.months].filter(([name]) => words.wholeMonths.has(name)));
  const named = monthFindings(text, tokensOf(text), { ...words, months, wholeMonths: new Set() }, today);
  return named.filter(({ period }) => lengthOf(period) === 1);
}

/** Finds the days that a text names by a month's name, in a language that the text may be in. */
export function monthDayFindings(text: string, words: TimeWords, today: CivilDay): Finding[] {
  return monthFindings(text, tokensOf(text), words, today).filter(({ period }) => lengthOf(period) === 1);
}

/** Finds the weekdays that a text names, each as the first such day after the text's own day. */
export function weekdaysAfter(text: string, words: TimeWords, day: CivilDay): Finding[] {
  const next = (weekday: number) => dayPeriod(addDays(day, ((weekday - weekdayOf(day) + 6) % 7) + 1));
  return weekdayFindings(text, tokensOf(text), words, next);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    tokens.push({ word: match[0], start: match.index, end: match.index + match[0].length });
    if (tokens.length === MAX_TOKENS) break;
  }
  return tokens;
}

/** Finds years alone, such as "in 2023". A number without such a word is mostly something else. */
export function yearFindings(text: string): Finding[] {
  const tokens = [...text.matchAll(TOKEN)].slice(0, MAX_TOKENS);
  return tokens.flatMap((match, at) => {
    const year = yearOf(match[0]);
    const period = year === undefined ? undefined : yearPeriod(year);
    if (!period || !BEFORE_YEAR.has(tokens[at - 1]?.[0] ?? "") || isDecimal(text, match.index + match[0].length))
      return [];
    return [{ start: match.index, end: match.index + match[0].length, period, isName: true }];
  });
}

function isDecimal(text: string, end: number): boolean {
  return /^[.,:]\p{Nd}/u.test(text.slice(end, end + 2));
}

function monthFindings(text: string, all: readonly Token[], words: TimeWords, today: CivilDay): Finding[] {
  const tokens = all.filter(({ word }) => !BETWEEN.has(word));
  return tokens.flatMap((token, at): Finding[] => {
    const previous = tokens[at - 1]?.word ?? "";
    const known = words.months.get(token.word);
    const month = known ?? declinedMonth(token.word, previous, words);
    if (month === undefined) return [];
    const { before, after, year } = partsAround(text, tokens, at);
    const isOf = all[all.indexOf(token) - 1]?.word === "of";
    const isBefore = BEFORE_MONTH.has(previous) || (BEFORE_PLAIN_MONTH.has(previous) && !OTHER_WORDS.has(token.word));
    const isMeant = words.wholeMonths.has(token.word) && (isOf || isBefore);
    const isNamed = known === undefined || isMeant;
    if (!before && !after && !year && !isNamed) return [];
    const period = datePeriod({ year: year?.value, month, day: (before ?? after)?.value }, today);
    if (!period) return [];
    return [{ start: (before ?? token).start, end: (year ?? after ?? token).end, period, isName: true }];
  });
}

/** The languages whose months have more cases than the locale data has: "w maju", "elokuussa". */
const DECLINED = new Set("pl cs sk ru uk bg sr hr sl fi et hu tr lt lv".split(" "));
/** The endings that say "in", in languages that have no word for it. */
const IN: Readonly<Record<string, RegExp>> = { fi: /ssa$/u, hu: /b[ae]n$/u };
/** How many letters a case may change at the end of a name, and how many it may add. */
const CASE = { changed: 2, added: 3 };

/** Returns the month that a word names in another case: behind "in", or with an ending that says "in". */
function declinedMonth(word: string, before: string, { language, months, wholeMonths }: TimeWords): number | undefined {
  if (!DECLINED.has(language) || !(BEFORE_MONTH.has(before) || IN[language]?.test(word))) return undefined;
  const found = [...wholeMonths].filter((name) => {
    const stem = name.slice(0, Math.max(3, name.length - CASE.changed));
    return word.startsWith(stem) && word.length - name.length <= CASE.added;
  });
  const numbers = new Set(found.map((name) => months.get(name)));
  return numbers.size === 1 ? [...numbers][0] : undefined;
}

type NumberToken = Token & { readonly value: number };

/** Returns the day before or after a month, and the year after both. */
function partsAround(text: string, tokens: readonly Token[], at: number) {
  const token = tokens[at];
  const beside = (one: Token | undefined, next: Token | undefined) =>
    one !== undefined && next !== undefined && areJoined(text, one, next);
  const [previous, next] = [tokens[at - 1], tokens[at + 1]];
  const before = beside(previous, token) && previous && !isPart(text, previous) ? numbered(previous, dayOf) : undefined;
  const isAfter = !before && beside(token, next) && next && !isDecimal(text, next.end);
  const after = isAfter ? numbered(next, dayOf) : undefined;
  const last = after ?? token;
  const yearToken = after ? tokens[at + 2] : next;
  const year = beside(last, yearToken) && yearToken ? numbered(yearToken, yearOf) : undefined;
  return { before, after, year };
}

function numbered(token: Token, read: (word: string) => number | undefined): NumberToken | undefined {
  const value = read(token.word);
  return value === undefined ? undefined : { ...token, value };
}

/** Returns whether only a space, a sign or a word such as "of" stands between two words. */
function areJoined(text: string, one: Token, next: Token): boolean {
  const between = text.slice(one.end, next.start);
  if (between.length > 12) return false;
  return between.split(TOKEN).every((signs) => JOINS.test(signs));
}

/** Returns whether a number is the end of another, as the 9 in 1.9; "10-19 May" has two days. */
function isPart(text: string, { start }: Token): boolean {
  if (/(?<![\p{L}\p{N}.:,/-])\p{N}{1,2}-$/u.test(text.slice(Math.max(0, start - 4), start))) return false;
  return /[\p{L}\p{N}][.:,/-]$/u.test(text.slice(Math.max(0, start - 2), start));
}

function weekdayFindings(
  text: string,
  tokens: readonly Token[],
  words: TimeWords,
  periodOf: (weekday: number, isLast: boolean) => Period,
): Finding[] {
  if (UNSPACED.has(words.language))
    return [...words.weekdays].flatMap(([name, weekday]) =>
      placesOf(text, name, false).map((start) => found(start, name, weekday)),
    );
  const isLast = (token: Token | undefined) => token !== undefined && words.lastWords.has(token.word);
  return tokens.flatMap(({ word, start }, at) => {
    const weekday = words.weekdays.get(word);
    return weekday === undefined ? [] : [found(start, word, weekday, isLast(tokens[at - 1]) || isLast(tokens[at + 1]))];
  });

  function found(start: number, name: string, weekday: number, isOfLast = false): Finding {
    return { start, end: start + name.length, period: periodOf(weekday, isOfLast), kind: "weekday", isName: true };
  }
}

function phraseFindings(text: string, words: TimeWords, today: CivilDay): Finding[] {
  const isSpaced = !UNSPACED.has(words.language);
  return words.phrases.flatMap(({ text: phrase, unit, offset }) =>
    placesOf(text, phrase, isSpaced).flatMap((start): Finding[] => {
      const period = unitPeriod(unit, offset, today);
      const kind = unit === "week" ? { kind: "week" as const } : {};
      return period ? [{ start, end: start + phrase.length, period, ...kind }] : [];
    }),
  );
}

/** The weekend in several languages, with the English word that says which one. */
const WEEKEND =
  /(last |past |next |this )?(?:weekends?|week-end|wochenende|fin de semana|fim de semana|fine settimana|週末|周末|выходны[ехм]+|주말)/gu;

/** Finds Saturday and Sunday. */
function weekendFindings(text: string, today: CivilDay, tense: Tense): Finding[] {
  return [...text.matchAll(WEEKEND)].slice(0, MAX_PLACES).map((match) => {
    const period = weekendOf(today, match[1]?.trim(), tense);
    return { start: match.index, end: match.index + match[0].length, period };
  });
}

/** Returns the weekend that a word means: last, past, next or this; without a word, that of the tense. */
function weekendOf(today: CivilDay, word: string | undefined, tense: Tense): Period {
  const isComing = word === "next" || word === "this";
  const { ranges } = weekendPeriod(today, word === undefined ? tense : isComing ? "future" : "past");
  // At a weekend "this" is the present one, and "last" and "next" are not.
  const isMeant = ({ from, to }: Days) => word === undefined || word === "this" || from > today || to <= today;
  const isOne = word === "this" || tense === "past";
  const [first = ranges[0], ...others] = ranges.filter(isMeant).slice(0, isOne ? 1 : undefined);
  return { ranges: [first, ...others] };
}

/** The most places of one phrase that count. */
const MAX_PLACES = 4;

function placesOf(text: string, phrase: string, isSpaced: boolean): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(phrase); at >= 0 && places.length < MAX_PLACES; at = text.indexOf(phrase, at + 1))
    if (!isSpaced || isWhole(text, at, at + phrase.length)) places.push(at);
  return places;
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;

function isWhole(text: string, start: number, end: number): boolean {
  return !LETTER.test(text.charAt(start - 1)) && !LETTER.test(text.charAt(end));
}

function agoFindings(text: string, tokens: readonly Token[], words: TimeWords, today: CivilDay): Finding[] {
  const isSpaced = !UNSPACED.has(words.language);
  return numbersIn(text, tokens, words.language).flatMap(({ value, start, end }) =>
    words.ago.flatMap(({ before, after, unit }): Finding[] => {
      const left = text.slice(0, start).trimEnd();
      const gap = text.length - text.slice(end).trimStart().length;
      if (!left.endsWith(before) || !text.startsWith(after, gap)) return [];
      const [from, to] = [before ? left.length - before.length : start, after ? gap + after.length : end];
      if (isSpaced && !isWhole(text, from, to)) return [];
      const period = unitPeriod(unit, -value, today);
      return period ? [{ start: from, end: to, period }] : [];
    }),
  );
}

function numbersIn(text: string, tokens: readonly Token[], language: string) {
  const named = new Map<string, number>();
  for (const [at, spellings] of (NUMBERS[language] ?? "").split(" ").entries())
    for (const one of spellings.split("|")) if (one) named.set(one, at + 1);
  const isSpaced = !UNSPACED.has(language);
  const digits = tokens.flatMap(({ word, start, end }) => {
    const value = /^\p{Nd}+$/u.test(word) ? Number(word) : isSpaced ? named.get(word) : undefined;
    return value !== undefined && value >= 1 && value <= MAX_AGO ? [{ value, start, end }] : [];
  });
  if (isSpaced) return digits;
  const signs = [...named].flatMap(([sign, value]) =>
    placesOf(text, sign, false).map((start) => ({ value, start, end: start + sign.length })),
  );
  return [...digits, ...signs];
}

function dayOf(word: string): number | undefined {
  return /^(?:[1-9]|[12]\d|3[01]|0[1-9])$/u.test(word) ? Number(word) : undefined;
}

function yearOf(word: string): number | undefined {
  return /^(?:19|20)\d{2}$/u.test(word) ? Number(word) : undefined;
}
