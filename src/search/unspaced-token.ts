/** Scripts written without spaces between words. Postgres' parser takes a whole sentence of them for one word. */
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const LONE_HAN = /(?<!\p{Script=Han})\p{Script=Han}(?!\p{Script=Han})/gu;

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
 * What a query's run asks for: its pairs. A Chinese character between kana also counts alone, because it is a word there
 * and its pairs are grammar: `猫は` has to find `猫が`.
 */
export function queryGrams(run: string): string[] {
  const letters = [...run];
  if (letters.length === 1) return letters;
  return [...pairs(letters), ...(run.match(LONE_HAN) ?? [])];
}

function pairs(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
