import { questionWords } from "./question-words.ts";
import { foldToken } from "./tokens.ts";

/** A word that a question looks for in a text. */
export interface SoughtWord {
  /** Its spellings as the index has them: in lower case, mostly stems. */
  readonly spellings: readonly string[];
  /** Stems that begin a longer word, in languages that write compounds as one word. */
  readonly beginnings: readonly string[];
  /** Stems that end a longer word. */
  readonly endings: readonly string[];
  /** How much the word says: its rarity in the index, less for a common word. */
  readonly weight: number;
}

/** A term of the question as the keyword arm has counted it. */
export interface CountedTerm {
  readonly concept: number;
  readonly lexeme: string;
  readonly prefix: boolean;
  /** Its inverse document frequency times its weight. */
  readonly idf: number;
}

/** The first character of a lexeme that matches the end of words: the rest is a stem backwards. */
const REVERSED = "~";
/**
 * The weight of a common word, such as "müssen", as a share of its rarity. In a small index such a
 * word is rare.
 */
const COMMON_SHARE = 0.2;

/**
 * Returns the words that a question looks for. Without counted terms every word weighs the same,
 * but for common words.
 */
export function soughtWords(question: string, terms: readonly CountedTerm[] = []): SoughtWord[] {
  const asked = questionWords(question);
  if (terms.length === 0)
    return asked.map(({ word, says }) => ({
      spellings: [word, foldToken(word)],
      beginnings: [],
      endings: [],
      weight: says,
    }));
  const concepts = [...Map.groupBy(terms, ({ concept }) => concept).values()];
  const words = concepts.map((same) => {
    const parts = same.filter(({ prefix }) => prefix).map(({ lexeme }) => lexeme);
    return {
      spellings: same.filter(({ prefix }) => !prefix).map(({ lexeme }) => lexeme),
      beginnings: parts.filter((lexeme) => !lexeme.startsWith(REVERSED)),
      endings: parts.flatMap((lexeme) => (lexeme.startsWith(REVERSED) ? backwards(lexeme.slice(1)) : [])),
      weight: Math.max(...same.map(({ idf }) => idf)),
    };
  });
  const find = createWordFinder(words);
  const inQuestion = asked.map(({ word, says }) => ({ isCommon: says < 1, found: find(word) }));
  const isCommon = (index: number) => {
    const saying = inQuestion.filter(({ found }) => found.has(index));
    return saying.length > 0 && saying.every((one) => one.isCommon);
  };
  return words.map((word, index) => (isCommon(index) ? { ...word, weight: word.weight * COMMON_SHARE } : word));
}

function backwards(text: string): string {
  return [...text].reverse().join("");
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const NOT_ASCII = /[^\x00-\x7f]/;
/** Scripts that are written without spaces: their terms are searched as parts of a run. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const MAX_KNOWN = 4000;
/** A longer word is data. */
const MAX_WORD = 80;

/** Finds the places of `words` that occur in a text. */
export type WordFinder = (text: string) => ReadonlySet<number>;

/**
 * Makes a function that finds sought words in a text. A word of the text matches if it is a sought
 * spelling, or one with a usual ending, so that stems are found without a stemmer for each
 * language. Takes time linear in the text.
 */
export function createWordFinder(words: readonly SoughtWord[]): WordFinder {
  const bySpelling = new Map<string, number>();
  const inRuns: [string, number][] = [];
  const inNames: [string, number][] = [];
  for (const [index, { spellings }] of words.entries()) {
    for (const spelling of spellings) {
      if (UNSPACED.test(spelling)) inRuns.push([spelling, index]);
      else if (/[^\p{L}\p{N}\p{M}]/u.test(spelling)) inNames.push([spelling, index]);
      else if (!bySpelling.has(spelling)) bySpelling.set(spelling, index);
    }
  }
  const compounds = words.flatMap(({ beginnings, endings }, index) =>
    beginnings.length + endings.length > 0 ? [{ index, beginnings, endings }] : [],
  );
  const known = new Map<string, readonly number[]>();
  const placesOf = (word: string): readonly number[] => {
    const before = known.get(word);
    if (before) return before;
    const index = stemmed(word, bySpelling) ?? stemmed(foldToken(word), bySpelling);
    const joined = index === undefined && word.length >= MIN_COMPOUND ? compounds.filter(isPartOf(word)) : [];
    const runs = UNSPACED.test(word) ? inRuns.filter(([run]) => word.includes(run)) : [];
    const found = [
      ...(index === undefined ? [] : [index]),
      ...joined.map((one) => one.index),
      ...runs.map(([, at]) => at),
    ];
    if (known.size < MAX_KNOWN) known.set(word, found);
    return found;
  };
  return (text) => {
    const found = new Set<number>();
    const lower = text.toLowerCase();
    for (const [word] of (NOT_ASCII.test(lower) ? lower.normalize("NFKC") : lower).matchAll(WORD))
      if (word.length <= MAX_WORD || UNSPACED.test(word)) for (const index of placesOf(word)) found.add(index);
    for (const [name, index] of inNames) if (lower.includes(name)) found.add(index);
    return found;
  };
}

/** The longest usual ending: "nesses" is the longest of English, "ungen" of German. */
const MAX_ENDING = 5;
/** The shortest stem before an ending of more than one letter. */
const MIN_STEM = 4;

/** Returns the place of the spelling from which a word is formed. */
function stemmed(word: string, bySpelling: ReadonlyMap<string, number>): number | undefined {
  const whole = bySpelling.get(word);
  if (whole !== undefined) return whole;
  for (let length = word.length - 1; length >= Math.max(3, word.length - MAX_ENDING); length--) {
    const ending = word.length - length;
    if (ending > 1 && (length < MIN_STEM || ending > length)) break;
    const stem = word.slice(0, length);
    // Stemmers write "happy" as "happi".
    const found = bySpelling.get(stem) ?? bySpelling.get(`${stem}i`) ?? bySpelling.get(`${stem}e`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The shortest word that may be a compound. */
const MIN_COMPOUND = 7;

function isPartOf(word: string) {
  return ({ beginnings, endings }: { beginnings: readonly string[]; endings: readonly string[] }) =>
    beginnings.some((part) => word.startsWith(part)) ||
    // A stem at the end of a word may have an ending behind it.
    endings.some((part) => word.indexOf(part, Math.max(0, word.length - part.length - 2)) > 0);
}
