/**
 * The unit of weights: quarters of a token, so that weights are whole numbers and add up exactly
 * over any split.
 */
export const QUARTERS_PER_TOKEN = 4;

/**
 * Returns the weight of one UTF-16 code unit in quarters of a token: Latin 1 (four characters a
 * token); Han, Kana, Hangul and full-width forms 4 (a token each); everything else 2, which makes a
 * surrogate pair (rare Han, emoji) one token too.
 */
export function codeUnitWeight(code: number): number {
  if (code < 0x370) {
    return 1;
  }
  const eastAsian =
    (code >= 0x2e80 && code <= 0x9fff) || // radicals, CJK punctuation, Hiragana, Katakana, Bopomofo, Han
    (code >= 0xac00 && code <= 0xd7ff) || // Hangul syllables
    (code >= 0x1100 && code <= 0x11ff) || // Hangul jamo
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xffef);
  return eastAsian ? 4 : 2;
}

/** Returns the weight of a text in quarters of a token: the sum over its code units. */
export function textWeight(text: string): number {
  let weight = 0;
  for (let i = 0; i < text.length; i++) {
    weight += codeUnitWeight(text.charCodeAt(i));
  }
  return weight;
}

/**
 * Estimates cheaply how many tokens an embedding model makes of `text`, rounded up. The estimate is
 * monotone: a text is never estimated lower than its parts. It is not a tokenizer: real counts
 * differ by model, and code has more tokens than estimated.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(textWeight(text) / QUARTERS_PER_TOKEN);
}

/**
 * The limit of the model that embeds a chunk. The model does not read the rest of a longer chunk,
 * so the vector arm would not find it.
 */
export interface TokenLimit {
  /** The most tokens of a chunk, including its heading path. */
  readonly tokens: number;
  /**
   * Returns the tokens of a text, never too few. The sum over its lines, with their line ends, is
   * at least the count of the text.
   */
  readonly count: (text: string) => number;
}
