import { monthsByName } from "../../base/month-names.ts";
import { isCommonWord } from "./question-words.ts";
import { sentencesIn } from "./statements.ts";
import { languageOf, USUAL_LANGUAGE } from "./text-language.ts";

/** The names of a message, as a fact may have them. */
export interface MessageNames {
  /** All words of the message in lower case, with a space around each. */
  readonly words: string;
  /** The words that are written like names, each with whether one of them stands within a sentence. */
  readonly names: ReadonlyMap<string, boolean>;
}

const WORD = /[\p{L}\p{M}]+/gu;
/** Matches a word that is written like a name. An abbreviation such as TCP is none. */
const NAME = /^\p{Lu}.*\p{Ll}/u;
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/;
/** The most characters of a message that are read. */
const MAX_CHARS = 2000;

/** Returns the names of a message. In German every noun has a capital letter, so none counts as a name. */
export function namesOf(message: string): MessageNames {
  const text = message.slice(-MAX_CHARS);
  const isGerman = languageOf(text, [USUAL_LANGUAGE]) === "german";
  return { words: folded(text), names: isGerman ? new Map() : namesIn(text) };
}

/**
 * Returns whether a message names the person or thing that a fact is about: the fact's subject, or a name
 * in the fact's text. The first word of a sentence has a capital letter in any case, so the name must
 * stand within a sentence of the message or of the fact.
 */
export function isAboutNamed(
  { words, names }: MessageNames,
  { text, subject }: { text: string; subject: string | null },
): boolean {
  const name = folded(subject ?? "");
  if (name !== "" && name.trim().split(" ").some(isTelling) && words.includes(name)) return true;
  if (names.size === 0) return false;
  return [...namesIn(text)].some(([one, isWithin]) => {
    const ofMessage = names.get(one);
    return ofMessage !== undefined && (ofMessage || isWithin);
  });
}

function namesIn(text: string): Map<string, boolean> {
  const names = new Map<string, boolean>();
  for (const sentence of sentencesIn(text))
    for (const [at, word] of (sentence.match(WORD) ?? []).entries())
      if (NAME.test(word) && isTelling(word.toLowerCase())) names.set(word, names.get(word) === true || at > 0);
  return names;
}

/** Returns whether a word in lower case may be a name: it is no common word, no month and no weekday. */
function isTelling(word: string): boolean {
  if (word.length < 2 || WEEKDAY.test(word) || monthsByName().has(word)) return false;
  return !isCommonWord(word);
}

function folded(text: string): string {
  const words = text.normalize("NFKC").toLowerCase().match(WORD) ?? [];
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}
