/** Scripts that are told apart: what a model learnt to read, it mostly learnt by script. Others are one. */
const SCRIPTS = {
  Latin: /\p{Script=Latin}/gu,
  Cyrillic: /\p{Script=Cyrillic}/gu,
  Greek: /\p{Script=Greek}/gu,
  Arabic: /\p{Script=Arabic}/gu,
  Hebrew: /\p{Script=Hebrew}/gu,
  Devanagari: /\p{Script=Devanagari}/gu,
  Thai: /\p{Script=Thai}/gu,
  Hangul: /\p{Script=Hangul}/gu,
  Japanese: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  Chinese: /\p{Script=Han}/gu,
} as const;

export type Script = keyof typeof SCRIPTS | "other";

/** The beginning tells as much as the whole. */
const MOST_CHARS = 1000;
/** Japanese has more Chinese characters than kana, Chinese has no kana. */
const KANA_SHARE = 0.1;

/** The script that most letters of a text are of; undefined for a text without letters. */
export function scriptOf(text: string): Script | undefined {
  const beginning = text.slice(0, MOST_CHARS);
  const letters = { ...countEach(beginning), other: 0 };
  const named = Object.values(letters).reduce((sum, count) => sum + count, 0);
  letters.other = count(beginning, /\p{L}/gu) - named;
  const [most] = (Object.entries(letters) as [Script, number][]).toSorted(([, a], [, b]) => b - a);
  if (!most || most[1] <= 0) return undefined;
  const isJapanese = letters.Japanese >= KANA_SHARE * (letters.Chinese + letters.Japanese);
  return most[0] === "Chinese" && isJapanese ? "Japanese" : most[0];
}

function countEach(text: string): Record<keyof typeof SCRIPTS, number> {
  const counts = Object.entries(SCRIPTS).map(([script, letter]) => [script, count(text, letter)]);
  return Object.fromEntries(counts);
}

function count(text: string, letter: RegExp): number {
  return text.match(letter)?.length ?? 0;
}
