import { readFileSync } from "node:fs";

const CLS = 101;
const SEP = 102;
const UNKNOWN = 100;
/** Longer words are one unknown token, as in the reference implementation. */
const MAX_WORD_CHARS = 100;

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
}

/** The uncased WordPiece tokenizer of BERT (Devlin et al. 2019), with the vocabulary of a `tokenizer.json`. */
export function loadTokenizer(path: string): Tokenizer {
  const { model } = JSON.parse(readFileSync(path, "utf8")) as { model: { vocab: Record<string, number> } };
  const vocabulary = new Map(Object.entries(model.vocab));
  return {
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

/** Word by word, so that of a text much longer than the model reads only the beginning is normalised. */
function* words(text: string): Generator<string> {
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
  const chars = [...word];
  if (chars.length > MAX_WORD_CHARS) return [UNKNOWN];
  const ids: number[] = [];
  for (let start = 0; start < chars.length; ) {
    let end = chars.length;
    let id: number | undefined;
    for (; end > start; end--) {
      const piece = chars.slice(start, end).join("");
      id = vocabulary.get(start === 0 ? piece : `##${piece}`);
      if (id !== undefined) break;
    }
    if (id === undefined) return [UNKNOWN];
    ids.push(id);
    start = end;
  }
  return ids;
}
