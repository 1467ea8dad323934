/**
 * The letters of languages that separate words by spaces. Unicode classes would make each pattern
 * ten times as slow.
 */
const LETTER = String.raw`[\w\u00C0-\u024F]`;
/** Replaces JavaScript's `\b`, which knows only ASCII and would find "ber" in "über". */
const WORD_EDGE = `(?:(?<!${LETTER})(?=${LETTER})|(?<=${LETTER})(?!${LETTER}))`;
/** Matches the apostrophes that people leave out: "im", "dont", "whats". Not "we're" and "it's", which make other words. */
const OFTEN_LEFT_OUT = /'(?=(?:m|ve)\b)|(?<=n)'(?=t\b)|(?<=\b(?:that|what|there))'(?=s\b)/g;

/**
 * Creates a pattern over text prepared by `ownWords`: straight apostrophes, single spaces. Line
 * breaks in the source are removed. `\b` recognises accented letters.
 *
 * Patterns contain no nested repetition, and every open length has an upper bound, so that hostile
 * text cannot make them slow (test/features/capture/reading/hostile.test.ts).
 */
export function pattern(strings: TemplateStringsArray, ...parts: readonly string[]): RegExp {
  return patternOf(part(strings, ...parts));
}

/** Creates the pattern of a source, as `pattern` does. */
export function patternOf(source: string, flags = "diu"): RegExp {
  const joined = source.replace(/\n\s*/g, "").replaceAll(String.raw`\b`, WORD_EDGE);
  return new RegExp(joined.replaceAll(OFTEN_LEFT_OUT, "'?"), flags);
}

/** Creates a piece of a pattern, for use in other patterns. */
export function part(strings: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw(strings, ...parts);
}
