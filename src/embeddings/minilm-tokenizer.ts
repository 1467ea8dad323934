import { readFileSync } from "node:fs";

const CLS = 101;
const SEP = 102;
const UNKNOWN = 100;
/** Longer words are one unknown token, as in the reference implementation. */
const MAX_WORD_CHARS = 100;
/** No entry of the vocabulary is longer. */
const LONGEST_PIECE = 18;

/** Not \p{Cn}: to the reference implementation an unassigned character is an unknown word, not nothing. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
/** What stands between white space. */
const RUN = /[^\t\n\r\p{Zs}\u2028\u2029]+/gu;
/** The names of the model's own tokens, which the reference implementation also takes for tokens inside a text. */
const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const SPECIAL_ALONE = new RegExp(`^${SPECIAL.source}$`);
/** Each Chinese character is a word; Kana, Hangul and 2B820 to 2B91F are not in these blocks of the reference implementation. */
const HAN =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const MARKS = /\p{Mn}/gu;
/** BERT counts every ASCII symbol as punctuation, also those that Unicode calls symbols. */
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/gu;

export interface Tokenizer {
  /** Token ids with [CLS] and [SEP], at most `maxTokens` in all; the rest of the text is left out. */
  encode(text: string, maxTokens: number): number[];
  /** How many tokens one of the text's `words` is. */
  countWord(word: string): number;
}

/** The uncased WordPiece tokenizer of BERT (Devlin et al. 2019), with the vocabulary of a `tokenizer.json`. */
export function loadTokenizer(path: string): Tokenizer {
  const vocabulary = readVocabulary(readFileSync(path, "utf8"));
  return {
    countWord: (word) => pieces(word, vocabulary).length,
    encode: (text, maxTokens) => {
      const ids = [CLS];
      for (const word of words(text)) {
        for (const id of pieces(word, vocabulary)) {
          if (ids.length === maxTokens - 1) return [...ids, SEP];
          ids.push(id);
        }
      }
      return [...ids, SEP];
    },
  };
}

/** Read in place: parsing all of the file and listing its keys takes 45 ms, this 12, and a server may do it between requests. */
function readVocabulary(json: string): Map<string, number> {
  const vocabulary = new Map<string, number>();
  const entry = /\s*("(?:[^"\\]|\\.)*")\s*:\s*(\d+)\s*[,}]/y;
  entry.lastIndex = json.indexOf("{", json.indexOf('"vocab"')) + 1;
  for (let found = entry.exec(json); found; found = entry.exec(json)) {
    const [, key = "", id] = found;
    vocabulary.set(key.includes("\\") ? (JSON.parse(key) as string) : key.slice(1, -1), Number(id));
    if (found[0].endsWith("}")) break;
  }
  return vocabulary;
}

/** The words of a text, normalised: one by one, so that of a text much longer than the model reads only the beginning is normalised. */
export function* words(text: string): Generator<string> {
  for (const [run] of text.matchAll(RUN)) {
    for (const part of run.split(SPECIAL)) {
      if (SPECIAL_ALONE.test(part)) yield part;
      else yield* plainWords(part);
    }
  }
}

/** In the order of the reference implementation, which lower-cases letter by letter: a capital sigma at the end is σ, not ς. */
function plainWords(text: string): string[] {
  return text
    .replace(CONTROL, "")
    .replace(HAN, " $& ")
    .normalize("NFD")
    .replace(MARKS, "")
    .replaceAll("Σ", "σ")
    .toLowerCase()
    .replace(PUNCTUATION, " $& ")
    .split(" ")
    .filter(Boolean);
}

/** Greedy longest match from the left; a word with a part that is not in the vocabulary is unknown as a whole. */
function pieces(word: string, vocabulary: ReadonlyMap<string, number>): number[] {
  const whole = vocabulary.get(word);
  if (whole !== undefined) return [whole];
  if (word.length > MAX_WORD_CHARS && [...word].length > MAX_WORD_CHARS) return [UNKNOWN];
  const ids: number[] = [];
  for (let start = 0; start < word.length; ) {
    // An end inside a surrogate pair makes a piece that no vocabulary has.
    let end = Math.min(word.length, start + LONGEST_PIECE);
    let id: number | undefined;
    for (; end > start; end--) {
      const piece = word.slice(start, end);
      id = vocabulary.get(start === 0 ? piece : `##${piece}`);
      if (id !== undefined) break;
    }
    if (id === undefined) return [UNKNOWN];
    ids.push(id);
    start = end;
  }
  return ids;
}
