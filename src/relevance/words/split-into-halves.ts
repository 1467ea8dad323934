import { type Script, scriptOf } from "./text-language.ts";

/** Two parts of one text that share no word. */
export interface Halves {
  /** The words of the first part that the second part does not have. */
  question: string;
  /** The second part. */
  rest: string;
  script: Script;
}

/** The end of a sentence: its closing mark or the end of a line. */
const SENTENCE_END = /(?<=[.!?؟।]["')\]]*)\s+|(?<=[。！？])|\n+/u;
/** A word, or a single character of the scripts that are written without spaces. */
const UNIT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;
const CHARACTER = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]$/u;
/**
 * The first characters of a word that are compared, because forms of one word mostly begin alike.
 */
const STEM_CHARS = 5;

const MOST_CHARS = 2000;
/**
 * The length of the halves. Embedding costs by length, and longer halves tell no more: with a rest
 * of 600 characters d′ is the same to within 0.1 (bench/notes/fusion.md, "What the maintenance job
 * measures").
 */
const QUESTION_CHARS = 200;
const REST_CHARS = 300;
/**
 * How many letters say about as much as one character of a script that is written without spaces.
 * Such a character is a token.
 */
const LETTERS_OF_CHARACTER = 3;
/** The fewest words or characters of a question; fewer are not significant. */
const LEAST_WORDS = 4;
const LEAST_CHARACTERS = 8;

/**
 * Splits a text into two parts without a common word. The question is the first half of its
 * sentences, without the words of the second half. A model that only compares words finds nothing
 * in common; a model that understands the text does.
 *
 * @returns undefined when too little is left
 */
export function splitIntoHalves(text: string): Halves | undefined {
  const sentences = text
    .slice(0, MOST_CHARS)
    .split(SENTENCE_END)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const size = sentences.reduce((sum, sentence) => sum + sentence.length, 0);
  let taken = 0;
  let used = 0;
  for (const sentence of sentences) {
    if (taken > 0 && used + sentence.length / 2 > size / 2) break;
    taken++;
    used += sentence.length;
  }
  const rest = beginningOf(sentences.slice(taken).join(" "), REST_CHARS).toWellFormed();
  const stems = new Set(unitsOf(rest).map(stemOf));
  const first = beginningOf(sentences.slice(0, taken).join(" "), QUESTION_CHARS);
  // Numbers of a table are near to other numbers without meaning the same.
  const units = unitsOf(first).filter((unit) => !stems.has(stemOf(unit)) && !/^\p{N}+$/u.test(unit));
  const least = areCharacters(units) ? LEAST_CHARACTERS : LEAST_WORDS;
  const script = scriptOf(rest);
  if (rest === "" || script === undefined || units.length < least) return undefined;
  return { question: joined(units), rest, script };
}

function beginningOf(text: string, letters: number): string {
  const beginning = text.slice(0, letters);
  return areCharacters(unitsOf(beginning)) ? beginning.slice(0, letters / LETTERS_OF_CHARACTER) : beginning;
}

function areCharacters(units: readonly string[]): boolean {
  return 2 * units.filter((unit) => CHARACTER.test(unit)).length > units.length;
}

function unitsOf(text: string): string[] {
  return text.match(UNIT) ?? [];
}

function stemOf(unit: string): string {
  return unit.toLowerCase().slice(0, STEM_CHARS);
}

/** Joins words with spaces between them, and characters without. */
function joined(units: readonly string[]): string {
  return units
    .map((unit) => (CHARACTER.test(unit) ? unit : ` ${unit} `))
    .join("")
    .replace(/ {2,}/g, " ")
    .trim()
    .toWellFormed();
}
