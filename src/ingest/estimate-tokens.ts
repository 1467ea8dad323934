/** Weights are counted in quarters of a token, so that they are whole numbers and add up exactly over any split. */
export const QUARTERS_PER_TOKEN = 4;

/**
 * Weight of one UTF-16 code unit in quarters of a token: Latin 1 (four characters a token); Han, Kana, Hangul and
 * full-width forms 4 (a token each); everything else 2, which makes a surrogate pair (rare Han, emoji) one token too.
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

/** Weight of a text in quarters of a token: the sum over its code units. */
export function textWeight(text: string): number {
  let weight = 0;
  for (let i = 0; i < text.length; i++) {
    weight += codeUnitWeight(text.charCodeAt(i));
  }
  return weight;
}

/**
 * A cheap estimate of how many tokens an embedding model makes of `text`, rounded up. It is monotone: a longer text is
 * never estimated lower than its parts. Not a tokenizer: real counts differ by model, and code makes more than this.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(textWeight(text) / QUARTERS_PER_TOKEN);
}

/** The limit of the model that embeds a chunk. The rest of a longer chunk would not be found by meaning. */
export interface TokenLimit {
  /** Most tokens of a chunk, its heading path included. */
  readonly tokens: number;
  /** Tokens of a text, never too few. The sum over lines is that of a text, the ends of lines included. */
  readonly count: (text: string) => number;
}
