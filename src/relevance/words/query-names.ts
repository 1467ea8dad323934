/** A day, month or year that a question names; a month without a year may be of any year. */
export interface NamedDate {
  year?: number | undefined;
  /** 1 to 12. */
  month?: number | undefined;
  day?: number | undefined;
}

/** The most dates of a question; of a pasted text the first dates count. */
const MAX_DATES = 4;
const MAX_LENGTH = 2000;
const LANGUAGES = ["en", "de", "fr", "es", "it", "pt"];
/** Words before which "may" or "march" is a month, even without a day or a year beside it. */
const BEFORE_MONTH = new Set(
  "in during since until till by last this next early late mid im seit bis letzten diesen en depuis pendant desde hasta durante em a ad da di".split(
    " ",
  ),
);
const BEFORE_YEAR = new Set("in during since until by of en im seit bis depuis desde em nel del de".split(" "));
const TOKEN = /\p{Nd}+|[\p{L}\p{M}]+/gu;
/** Words between a day and its month, or a month and its year: 8th of May, 8 de mayo de 2023. */
const BETWEEN = new Set("st nd rd th of the de del er".split(" "));
const NUMERIC =
  /(?<!\p{Nd})(\d{4})-(\d{2})(?:-(\d{2}))?(?![\p{Nd}-])|(?<!\p{Nd})(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\p{Nd})/gu;
const EAST_ASIAN = /(?:(\d{4})[年년]\s?)?(\d{1,2})[月월](?:\s?(\d{1,2})[日일号])?/gu;
const HOUR = 3_600_000;
/**
 * The shifts under which a moment is compared with a date. Messages are dated in UTC, a question is
 * not, and the day depends on the time zone.
 */
const SHIFTS = [-12 * HOUR, 0, 12 * HOUR];

let months: ReadonlyMap<string, number> | undefined;

/**
 * Returns the dates that a question names: "8 May 2023", "May 8th", "in May", "le 8 mai", "8. Mai",
 * "in 2023", 2023-05-08, 8.5.2023, 5月8日. It knows the names of months in English, German, French,
 * Spanish, Italian and Portuguese. Numbers with slashes mean different days in different countries,
 * and relative days depend on when and where the question is asked: it ignores both.
 */
export function namedDates(question: string): NamedDate[] {
  const text = question.slice(0, MAX_LENGTH).normalize("NFKC").toLowerCase();
  const found = [...numericDates(text), ...wordDates(text)];
  return (found.length > 0 ? found : years(text)).slice(0, MAX_DATES);
}

/** Returns whether a moment is on one of these dates in some time zone. */
export function isOnDate(at: Date, dates: readonly NamedDate[]): boolean {
  return SHIFTS.some((shift) => {
    const moved = new Date(at.getTime() + shift);
    const [year, month, day] = [moved.getUTCFullYear(), moved.getUTCMonth() + 1, moved.getUTCDate()];
    return dates.some(
      (date) => (date.year ?? year) === year && (date.month ?? month) === month && (date.day ?? day) === day,
    );
  });
}

function numericDates(text: string): NamedDate[] {
  const european = [...text.matchAll(NUMERIC)].map(([, year, month, day, day2, month2, year2]) =>
    dateOf(year ?? year2, month ?? month2, day ?? day2),
  );
  const asian = [...text.matchAll(EAST_ASIAN)].map(([, year, month, day]) => dateOf(year, month, day));
  return [...european, ...asian].filter((date) => date !== undefined);
}

function dateOf(year?: string, month?: string, day?: string): NamedDate | undefined {
  const [y, m, d] = [year, month, day].map((part) => (part === undefined ? undefined : Number(part)));
  if (m === undefined || m < 1 || m > 12 || (d !== undefined && (d < 1 || d > 31))) return undefined;
  return { year: y, month: m, day: d };
}

function wordDates(text: string): NamedDate[] {
  const words = (text.match(TOKEN) ?? []).filter((word) => !BETWEEN.has(word));
  return words.flatMap((word, at) => {
    const month = monthNames().get(word);
    if (month === undefined) return [];
    const before = dayOf(words[at - 1]);
    const after = before === undefined ? dayOf(words[at + 1]) : undefined;
    const year = yearOf(words[at + (after === undefined ? 1 : 2)]);
    const day = before ?? after;
    const isMonth = day !== undefined || year !== undefined || BEFORE_MONTH.has(words[at - 1] ?? "");
    return isMonth ? [{ year, month, day }] : [];
  });
}

function years(text: string): NamedDate[] {
  const words = text.match(TOKEN) ?? [];
  return words.flatMap((word, at) => {
    const year = yearOf(word);
    return year !== undefined && BEFORE_YEAR.has(words[at - 1] ?? "") ? [{ year }] : [];
  });
}

function dayOf(word: string | undefined): number | undefined {
  return word !== undefined && /^(?:[1-9]|[12]\d|3[01]|0[1-9])$/u.test(word) ? Number(word) : undefined;
}

function yearOf(word: string | undefined): number | undefined {
  return word !== undefined && /^(?:19|20)\d{2}$/u.test(word) ? Number(word) : undefined;
}

/** Returns the numbers of months by their names, with and without accents. */
function monthNames(): ReadonlyMap<string, number> {
  if (months) return months;
  const names = new Map<string, number>();
  for (const language of LANGUAGES) {
    const format = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });
    for (let month = 1; month <= 12; month++) {
      const name = format.format(Date.UTC(2024, month - 1, 1)).toLowerCase();
      names.set(name, month);
      names.set(name.normalize("NFD").replace(/\p{M}/gu, ""), month);
    }
  }
  months = names;
  return names;
}

/** The most path-like words of one query that are looked up. */
const MAX_FILES = 8;
/** A text with more words and no dot or slash is taken for a question. */
const MAX_WORDS = 5;

/**
 * Returns the parts of a query that could be a file's path or name: the whole query if it is short
 * or has a dot or slash inside, and every word with a dot or slash inside, without the quotes,
 * brackets and punctuation around it. A query of one word may also be a note's name without its
 * ending. `filesNamed` decides which of them exist.
 */
export function namedFiles(query: string): string[] {
  const whole = query.trim();
  const words = whole.split(/\s+/).map((word) => word.replace(/^[`'"(<[{«「]+|[`'")>\]}»」,;:!?.]+$/gu, ""));
  const isPathLike = (text: string) => /[^./][./][^./]/.test(text);
  const names = words.filter(isPathLike);
  const note = /^[^\s/.][^\s.]*$/.test(whole) ? [`${whole}.md`] : [];
  const mayBeName = whole.length <= 250 && (words.length <= MAX_WORDS || isPathLike(whole));
  return [...new Set([...(mayBeName ? [whole, ...note] : []), ...names])].filter(Boolean).slice(0, MAX_FILES);
}

/** The most names that a question may have; of a pasted text the first words count. */
const MAX_SPEAKERS = 32;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Returns the words of a query that may be names: the words with a capital letter, or, if no word
 * has one, all words, capitalised.
 */
export function possibleNames(query: string): string[] {
  const words = query.match(WORD) ?? [];
  const capital = words.filter((word) => isCapital(word));
  const names = capital.length > 0 ? capital : words.map((word) => capitalised(word));
  return [...new Set(names)].slice(0, MAX_SPEAKERS);
}

/**
 * Returns the query for the vector arm, without the names of speakers. A speaker's name is near to
 * everything that contains it, greetings above all; the rest of the query has the actual question.
 * The keyword arm keeps the names. On LoCoMo, the vector arm alone finds 0.557 of the evidence in
 * five hits with the names, and 0.671 without.
 *
 * @param speakers the names from `possibleNames` that speak in sessions
 * @param isEnglish whether most of the index is English
 */
export function withoutSpeakers(query: string, speakers: readonly string[], isEnglish: boolean): string {
  if (speakers.length === 0) return query;
  const names = new Set(speakers);
  const isLower = !query.match(WORD)?.some(isCapital);
  const isName = (word: string) => names.has(isLower ? capitalised(word) : word);
  // A question that is only a name keeps the name.
  if (!query.match(WORD)?.some((word) => !isName(word))) return query;
  const instead = isEnglish ? "someone" : "";
  return query
    .replace(WORD, (word) => (isName(word) ? instead : word))
    .replace(/\s+/gu, " ")
    .trim();
}

function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

function capitalised(word: string): string {
  const [first = "", ...rest] = word;
  return first.toUpperCase() + rest.join("");
}
