import { createRequire } from "node:module";

/** Words that say little in a language, of 58 languages by their ISO 639-1 code. */
const lists = createRequire(import.meta.url)("stopwords-iso") as Readonly<Record<string, readonly string[]>>;

/** By language; a set is made when it is first asked for. */
const sets = new Map<string, ReadonlySet<string>>();

/** Languages that a question may be in although the index is in another. Those written without spaces have no words to count. */
const ASKED_IN = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "hu", "ro", "tr", "ru", "ar"];

/**
 * Which of a question's words are common in its language: the one that has most of them in its list. In a small index a word such as
 * "thanks" or "mir" is rare, and would seem to tell one text from another.
 *
 * @param words in lower case
 */
export function commonWords(words: readonly string[]): ReadonlySet<string> {
  let best: string[] = [];
  for (const language of ASKED_IN) {
    const common = words.filter((word) => setOf(language).has(word));
    if (common.length > best.length) best = common;
  }
  return new Set(best);
}

function setOf(language: string): ReadonlySet<string> {
  const known = sets.get(language) ?? new Set(lists[language]);
  sets.set(language, known);
  return known;
}
