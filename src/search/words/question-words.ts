import { createRequire } from "node:module";

export interface QuestionWord {
  /** In lower case. */
  readonly word: string;
  /** What it says: 1, or less of one that is common in the language. */
  readonly says: number;
}

/** Of a text that is pasted the first words count. */
const MAX_WORDS = 32;
/** Of a question that has no others a common word says something. */
const COMMON_SAYS = 0.1;

/** The words by which the part of a hit to show is chosen, each once. */
export function questionWords(question: string): QuestionWord[] {
  const all = question.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  const words = [...new Set(all)].slice(0, MAX_WORDS);
  const common = commonWords(words, []);
  return words.map((word) => ({ word, says: common.has(word) ? COMMON_SAYS : 1 }));
}

const require = createRequire(import.meta.url);

/** Words that say little in a language, by its ISO 639-1 code; read when they are first asked for, not when a process starts. */
const sets = new Map<string, ReadonlySet<string>>();

/**
 * Languages that a question may be in although the index is in another, by their text search configuration. Those written without
 * spaces have no words to count.
 */
const CODES: Readonly<Record<string, string>> = {
  ...{ english: "en", german: "de", french: "fr", spanish: "es", italian: "it", portuguese: "pt", dutch: "nl" },
  ...{ swedish: "sv", danish: "da", norwegian: "no", finnish: "fi", hungarian: "hu", romanian: "ro", turkish: "tr" },
  ...{ russian: "ru", arabic: "ar" },
};

/**
 * Which of a question's words are common in its language, when the index has no text in that: the language that has most of them in
 * its list. Postgres leaves out the common words of the index's languages alone, and in a small index a word such as "mir" or "wie" is
 * rare and would seem to tell one text from another.
 *
 * Of the index's own languages Postgres' short list is enough: with this long one ("number", "group", "like") LoCoMo by turn loses
 * 0.02 nDCG@10.
 *
 * @param words in lower case
 * @param except the index's text search configurations; none: common words of every language are meant
 */
export function commonWords(words: readonly string[], except: readonly string[]): ReadonlySet<string> {
  const ofOwn = except.map((language) => words.filter((word) => setOf(CODES[language] ?? "").has(word)));
  const inOwn = ofOwn.reduce((most, one) => (one.length > most.length ? one : most), []);
  let best = inOwn;
  for (const code of Object.values(CODES)) {
    const common = words.filter((word) => setOf(code).has(word));
    if (common.length > best.length) best = common;
  }
  return new Set(best === inOwn ? [] : best);
}

function setOf(code: string): ReadonlySet<string> {
  const known = sets.get(code);
  if (known) return known;
  const lists = require("stopwords-iso") as Readonly<Record<string, readonly string[]>>;
  const words = new Set(lists[code]);
  sets.set(code, words);
  return words;
}
