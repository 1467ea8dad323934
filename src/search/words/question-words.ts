import { commonWords } from "./common-words.ts";

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
