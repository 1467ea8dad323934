import { addDays, dayIn, weekdayOf } from "../../base/civil-day.ts";
import { fold } from "../../base/fold.ts";
import { chronoOf } from "./chrono-locales.ts";
import { daySpans } from "./day-spans.ts";
import { isGeneric, withoutGeneric } from "./generic-words.ts";
import { dayPeriod, daysPeriod, type Finding, type Period, spanOf } from "./periods.ts";
import { languagesOfQuestion } from "./question-language.ts";
import { tenseOf } from "./question-tense.ts";
import { chronoFindings, type Moment } from "./read-chrono.ts";
import { datedFindings, wordFindings, yearFindings } from "./read-dates.ts";
import { numericFindings, ordinalFindings } from "./read-numeric-dates.ts";
import { asWidened, weekFindings } from "./read-weeks.ts";
import { scriptsIn } from "./text-language.ts";
import { LANGUAGES_OF, stemOf, type TimeWords, timeWordsOf, UNSPACED } from "./time-words.ts";

/** The periods of a question. */
export interface QuestionPeriods {
  periods: Period[];
  /** The words of the question that name these days for any reader, in lower case without accents. */
  names: string[];
  /** Whether the question asks for nothing beside its period: "What happened last week?" */
  isGeneric: boolean;
  /** The other words of the question, without those such as "happened". */
  rest: string;
  /** The languages in which the question was read. */
  languages: string[];
}

/** The most periods of a question; of a pasted text the first ones count. */
const MAX_PERIODS = 4;
const MAX_LENGTH = 2000;
/** A number of up to two digits beside a word. */
const DAY_NUMBER = /(?<!\p{N})\p{N}{1,2}[.\s]{1,2}\p{L}|\p{L}\s\p{N}{1,2}(?!\p{N})/u;
const WORD = /[\p{L}\p{M}]+/gu;
/** The words that join the two ends of a period after "between". */
const BOTH_ENDS = /(?:^|\s)(?:between|zwischen|entre|tra|fra|tussen|mellan|miedzy|между)\s(?:\S{1,4}\s)?$/u;
const AND = /^\s(?:and|und|et|y|e|en|och|i|и)\s(?:\S{1,4}\s)?$/u;
/** The words after which a period lasts until today. */
const SINCE = /(?:^|\s)(?:since|seit|depuis|desde|dal|dalla|sinds|sedan|od|с)\s(?:\S{1,4}\s)?$/u;
interface Texts {
  /** The question in Unicode's compatible form. */
  readonly text: string;
  /** The same in lower case without accents. */
  readonly folded: string;
}

/** How far apart "last week" and "Tuesday" may stand. */
const MAX_GAP = 4;

/**
 * Reads the dates and periods of a question, as days of the place where it is asked. It reads the
 * languages that the question may be in (`languagesOfQuestion`), by the Unicode locale data of the
 * runtime and by chrono-node. A date without a year means that day of any year.
 *
 * @param at the moment and the time zone of the question
 * @param speakers names in the question that say whose texts are meant, not what they are about
 */
export async function periodsOfQuestion(
  question: string,
  at: { now: Date; zone: string },
  speakers: readonly string[] = [],
): Promise<QuestionPeriods> {
  const text = question.slice(0, MAX_LENGTH).toWellFormed().normalize("NFKC");
  const folded = fold(text);
  const languages = languagesOfQuestion(text, text.toLowerCase().match(WORD) ?? []);
  const moment = { ...at, today: dayIn(at.zone, at.now) };
  const read = [...numericFindings(text, moment.today), ...weekFindings(text, moment.today)];
  for (const language of await timeWordsOf(languages)) read.push(...(await readIn(language, { text, folded }, moment)));
  if (read.length === 0) read.push(...(await readInAny({ text, folded }, moment)));
  if (read.length === 0) read.push(...yearFindings(folded));
  read.unshift(...daySpans(folded, read));
  if (read.length === 0 && languages.includes("en"))
    read.push(...ordinalFindings(folded, moment.today, tenseOf(folded, "en")));
  // A widened period takes the place of "the weekend" before a day.
  const days = longest(longest(read).map((one) => asWidened(one, folded)));
  const found = joined(days, folded, moment).slice(0, MAX_PERIODS);
  const named = read.filter((one) => one.isName && found.some((other) => areOverlapping(one, other)));
  const rest = found.reduceRight((left, { start, end }) => `${left.slice(0, start)} ${left.slice(end)}`, folded);
  const names = new Set(speakers.map(fold));
  const others = rest.replace(WORD, (word) => (names.has(word) ? " " : word));
  return {
    periods: found.map(({ period }) => period),
    names: [...new Set(named.map(({ start, end }) => folded.slice(start, end)))],
    isGeneric: isGeneric(others, languages),
    rest: withoutGeneric(others),
    languages,
  };
}

/** Reads a question in a language, if one of its words may be a word of time there. */
async function readIn(language: TimeWords, { text, folded }: Texts, moment: Moment): Promise<Finding[]> {
  if (!mayHaveDate(folded, language)) return [];
  const reader = await chronoOf(language.language);
  const tense = tenseOf(folded, language.language);
  const byChrono = reader ? chronoFindings(reader, text, language, { ...moment, tense }) : [];
  const own = wordFindings(folded, language, moment.today, tense);
  const pairs = weekdaysOfWeeks(own, folded);
  const others = byChrono.filter((one) => !pairs.some((pair) => areOverlapping(one, pair)));
  return [...pairs, ...own, ...others];
}

/** Finds weekdays with their week, such as "Tuesday last week". */
function weekdaysOfWeeks(all: readonly Finding[], text: string): Finding[] {
  const ordered = all.toSorted((a, b) => a.start - b.start);
  return ordered.flatMap((one, at) => {
    const next = ordered[at + 1];
    return (next && weekdayOfWeek(one, next, text)) ?? [];
  });
}

function weekdayOfWeek(one: Finding, next: Finding, text: string): Finding | undefined {
  const [weekday, week] = one.kind === "weekday" ? [one, next] : [next, one];
  const isClose = next.start >= one.end && text.slice(one.end, next.start).length <= MAX_GAP;
  if (!isClose || weekday.kind !== "weekday" || week.kind !== "week") return undefined;
  const days = weekdayOf(weekday.period.ranges[0].from);
  return { start: one.start, end: next.end, period: dayPeriod(addDays(week.period.ranges[0].from, days)) };
}

function areOverlapping(one: Finding, other: Finding): boolean {
  return one.start < other.end && other.start < one.end;
}

function mayHaveDate(folded: string, { language, stems }: TimeWords): boolean {
  return UNSPACED.has(language) || (folded.match(WORD) ?? []).some((word) => stems.has(stemOf(word)));
}

/** Reads a day with a month's name in all languages of the question's script. */
async function readInAny({ text, folded }: Texts, moment: Moment): Promise<Finding[]> {
  if (!DAY_NUMBER.test(folded)) return [];
  const all = await timeWordsOf(scriptsIn(text).flatMap((script) => LANGUAGES_OF[script] ?? []));
  return all.flatMap((language) => datedFindings(folded, language, moment.today));
}

/** Keeps the longest of findings that overlap, in the order of the text. */
function longest(all: readonly Finding[]): Finding[] {
  const kept: Finding[] = [];
  const ordered = all.toSorted((a, b) => b.end - b.start - (a.end - a.start));
  for (const one of ordered) if (!kept.some((other) => areOverlapping(one, other))) kept.push(one);
  return kept.sort((a, b) => a.start - b.start);
}

/** Joins findings that mean one period together, such as "between 3 May and 9 May". */
function joined(all: readonly Finding[], text: string, { today }: Moment): Finding[] {
  const result: Finding[] = [];
  for (const one of all) {
    const before = result.at(-1);
    const together = before && togetherOf(before, one, text);
    if (together) result.splice(-1, 1, together);
    else result.push(sinceOf(one, text, today));
  }
  return result;
}

function togetherOf(one: Finding, next: Finding, text: string): Finding | undefined {
  const isPair = AND.test(text.slice(one.end, next.start)) && BOTH_ENDS.test(text.slice(0, one.start));
  const period = isPair ? spanOf(one.period, next.period) : undefined;
  return period && { start: one.start, end: next.end, period };
}

function sinceOf(one: Finding, text: string, today: string): Finding {
  const [first] = one.period.ranges;
  if (first.from > today || !SINCE.test(text.slice(0, one.start))) return one;
  return { ...one, period: daysPeriod(first.from, today) };
}
