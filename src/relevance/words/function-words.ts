import { stopwords as danish } from "@orama/stopwords/danish";
import { stopwords as dutch } from "@orama/stopwords/dutch";
import { stopwords as english } from "@orama/stopwords/english";
import { stopwords as french } from "@orama/stopwords/french";
import { stopwords as german } from "@orama/stopwords/german";
import { stopwords as italian } from "@orama/stopwords/italian";
import { stopwords as norwegian } from "@orama/stopwords/norwegian";
import { stopwords as portuguese } from "@orama/stopwords/portuguese";
import { stopwords as russian } from "@orama/stopwords/russian";
import { stopwords as spanish } from "@orama/stopwords/spanish";
import { stopwords as swedish } from "@orama/stopwords/swedish";
import { fold } from "../../base/fold.ts";
import { commonWordsOf } from "./question-words.ts";

/** The function words of the languages by ISO 639-1 codes, as the Snowball project lists them. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  da: danish,
  de: german,
  en: english,
  es: spanish,
  fr: french,
  it: italian,
  nb: norwegian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ru: russian,
  sv: swedish,
};
const WORD = /[\p{L}\p{M}]+/gu;
const sets = new Map<string, ReadonlySet<string>>();

/**
 * Returns the function words of a language, folded: pronouns, articles, prepositions, auxiliary verbs. The
 * longer lists of common words also have verbs and nouns that say something, such as "buy", "work" and
 * "room" in English. For a language without a list here, the common words
 * are returned: for such a language `generic-words.ts` has no words for "happened" and "done", and its common words
 * have them.
 *
 * @param code an ISO 639-1 code
 */
export function functionWordsOf(code: string): ReadonlySet<string> {
  const known = sets.get(code);
  if (known) return known;
  // The parts of "didn't" and "what's" are words of their own in a question.
  const words = new Set([...(LISTS[code] ?? commonWordsOf(code))].flatMap((word) => fold(word).match(WORD) ?? []));
  sets.set(code, words);
  return words;
}

/** The languages in which changes are read (`ranking/newest-first.ts`). */
const READ_LANGUAGES = ["en", "de", "fr", "es"];

/** Returns whether a word in lower case is a function word of English, German, French or Spanish. */
export function isFunctionWord(word: string): boolean {
  return READ_LANGUAGES.some((language) => functionWordsOf(language).has(word));
}
