import { commonWordsOf } from "./question-words.ts";
import { scriptsIn } from "./text-language.ts";
import { LANGUAGES_OF } from "./time-words.ts";

/** The most words that tell a question's language. */
const MAX_WORDS = 40;

/**
 * Returns the languages in which the dates of a question are read, by its scripts and, among the
 * languages of one script, by its common words: "hier" is a day in French and a place in German.
 * A question without common words is read in every language of its script.
 *
 * @param words the words of the question in lower case
 */
export function languagesOfQuestion(question: string, words: readonly string[]): string[] {
  const languages = scriptsIn(question).flatMap((script) => {
    const all = LANGUAGES_OF[script] ?? [];
    if (all.length === 1) return all;
    const some = words.slice(0, MAX_WORDS);
    const counted = all.map((language) => ({
      language,
      count: some.filter((word) => commonWordsOf(language).has(word)).length,
    }));
    const most = Math.max(...counted.map(({ count }) => count));
    return counted.filter(({ count }) => count === most).map(({ language }) => language);
  });
  return [...new Set(languages)];
}
