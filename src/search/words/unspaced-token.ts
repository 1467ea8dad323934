/** Scripts written without spaces between words. Postgres' parser takes a whole sentence of them for one word. */
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HAN = /\p{Script=Han}/u;
const HIRAGANA = /\p{Script=Hiragana}/u;

/** What a piece of a query's run asks for, and how much finding it says: 1 for a word. */
export interface WeightedGram {
  gram: string;
  weight: number;
}

/** A pair with a hiragana: inflection and particles, mostly. */
const GRAMMAR_WEIGHT = 0.25;
/** A character that is a part of a word. Of both weights many rank alike, see docs/BENCHMARKS.md. */
const PART_WEIGHT = 0.5;

/** Nothing below this character belongs to such a script. */
const FIRST_UNSPACED = /[\u0e00-\u{10ffff}]/u;

/** Splits a word into runs of unspaced scripts and the rest; undefined when it is all rest, the usual case. */
export function splitUnspaced(word: string): { runs: string[]; rest: string[] } | undefined {
  if (!FIRST_UNSPACED.test(word)) return undefined;
  const runs = word.match(UNSPACED_RUN);
  if (!runs) return undefined;
  return { runs, rest: word.split(UNSPACED_RUN).filter((part) => part !== "") };
}

/** What a document's run is found by: every pair of neighbouring characters, and every character for one-letter queries. */
export function documentGrams(run: string): string[] {
  const letters = [...run];
  return [...letters, ...pairs(letters)];
}

/**
 * What a query's run asks for: its pairs, and its Chinese characters alone, of which each has a meaning: `離職` has to find
 * `離れた職場`. Between kana such a character is a whole word: `猫は` has to find `猫が`. A pair with a hiragana is mostly
 * grammar (`なけ`, `猫は`), and by its rarity alone it would outweigh what is asked for.
 */
export function queryGrams(run: string): WeightedGram[] {
  const letters = [...run];
  const [only] = letters;
  if (only !== undefined && letters.length === 1) return [{ gram: only, weight: 1 }];
  const isHan = letters.map((letter) => HAN.test(letter));
  const characters = letters.flatMap((gram, at) =>
    isHan[at] ? [{ gram, weight: isHan[at - 1] || isHan[at + 1] ? PART_WEIGHT : 1 }] : [],
  );
  return [...pairs(letters).map((gram) => ({ gram, weight: HIRAGANA.test(gram) ? GRAMMAR_WEIGHT : 1 })), ...characters];
}

function pairs(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
