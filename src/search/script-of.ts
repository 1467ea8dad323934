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
const LETTER = /\p{L}/gu;

export type Script = keyof typeof SCRIPTS | "other";

/** The beginning tells as much as the whole. */
const MOST_CHARS = 1000;
/** Japanese has more Chinese characters than kana, Chinese has no kana. */
const KANA_SHARE = 0.1;

/** The script that most letters of a text are of; undefined for a text without letters. */
export function scriptOf(text: string): Script | undefined {
  const beginning = text.slice(0, MOST_CHARS);
  const letters = count(beginning, LETTER);
  if (letters === 0) return undefined;
  const counts = Object.entries(SCRIPTS).map(([script, letter]) => ({
    script: script as Script,
    letters: count(beginning, letter),
  }));
  const lettersOf = (wanted: Script) => counts.find(({ script }) => script === wanted)?.letters ?? 0;
  const chinese = lettersOf("Chinese");
  const kana = lettersOf("Japanese");
  const most = counts.reduce((best, one) => (one.letters > best.letters ? one : best));
  if (most.script === "Chinese" && kana >= KANA_SHARE * (chinese + kana)) return "Japanese";
  const others = letters - counts.reduce((sum, one) => sum + one.letters, 0);
  return most.letters >= others ? most.script : "other";
}

function count(text: string, letter: RegExp): number {
  return text.match(letter)?.length ?? 0;
}
