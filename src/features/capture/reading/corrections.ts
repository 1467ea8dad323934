import * as english from "./english.ts";
import { partOf, readSentence, type Statement } from "./read-sentence.ts";
import type { Sentence } from "./sentences.ts";

/** What a correction leaves of the statement before it. */
export interface Corrected {
  /** The statement with the corrected value; undefined if the value is not plain. */
  readonly by: Statement | undefined;
}

/** The most words of a corrected value. */
const MAX_WORDS = 6;
const PREPOSITION = /^(?:at|in|on|for|to|with|near|by)(?= )/iu;
const EDGES = /^[\s"'“”„*,.:;!–—-]+|[\s"'“”*,.;:!…)]+$/gu;
/** Matches words in small letters that stand in names, dates and numbers. */
const JOINING = /^(?:of|the|de|van|von|der|den|and|at|in|on|st|nd|rd|th)$/u;

/**
 * Reads the words behind "no, wait" or "sorry, I mean" as the value that replaces the value of the
 * statement before. It does so only if the words look like that value, and the statement is read
 * with them as before: "I live in Oslo" and "Bergen" give "I live in Bergen".
 *
 * @param marks the words that say that something is corrected
 * @param rest the words behind them
 * @returns undefined if the words do not correct the statement
 */
export function correct(statement: Statement, marks: string, rest: Sentence): Corrected | undefined {
  const isPlain = english.PLAINLY.test(marks);
  const unclear = english.MISTAKEN.test(marks) ? { by: undefined } : undefined;
  const { is, value = "" } = english.CORRECTED_TO.exec(rest.mask)?.groups ?? {};
  const said = value.replace(EDGES, "");
  if (said === "") return unclear;
  if (english.GOES_ON.test(said) || said.split(" ").length > MAX_WORDS) return undefined;
  const old = statement.value?.text ?? "";
  // "I like tea. I mean, it's great."
  const isAlike =
    looksAlike(old, said.replace(PREPOSITION, "").trim()) && (is === undefined || /^[\d\p{Lu}]/u.test(old));
  if (!isAlike) return unclear;
  const from = rest.mask.indexOf(said, is?.length ?? 0);
  const isCertain = isPlain || /^[\d+]/u.test(said);
  return { by: isCertain ? withValue(statement, partOf(rest, from, from + said.length)) : undefined };
}

function looksAlike(old: string, said: string): boolean {
  if (/\d/u.test(old)) return /\d/u.test(said) && english.DATED.test(old) === english.DATED.test(said) && isName(said);
  if (/^\p{Lu}/u.test(old)) return isName(said) && !/^\d/u.test(said);
  return !/^[\d\p{Lu}]/u.test(said) && said.split(" ").length <= 3;
}

function isName(said: string): boolean {
  return said.split(" ").every((word) => /^[^\p{L}]*(?:\p{Lu}|$)|\d|@/u.test(word) || JOINING.test(word));
}

function withValue({ value, key, trigger }: Statement, said: Sentence): Statement | undefined {
  if (value === undefined) return undefined;
  const { stem } = value;
  const length = PREPOSITION.test(said.mask)
    ? stem.mask.replace(/(?:at|in|on|for|to|with|near|by) $/iu, "").length
    : undefined;
  const before = partOf(stem, 0, length);
  const [read, ...more] = readSentence(
    {
      text: before.text + said.text,
      mask: before.mask + said.mask,
      places: [...before.places.map((at) => (at < 0 ? (said.places[0] ?? 0) : at)), ...said.places],
    },
    { isRule: false, isAsked: false },
  );
  const family = (one: string | undefined) => one?.split(":")[0];
  return more.length === 0 && read?.trigger === trigger && family(read.key) === family(key) ? read : undefined;
}
