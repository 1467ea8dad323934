/**
 * How much of a limit on a whole request is used: a tokenizer may count more than the estimate, and a request over the
 * limit fails with all its texts.
 */
const REQUEST_MARGIN = 0.75;

/**
 * Weight of one UTF-16 code unit in quarters of a token. Letters of English prose come four to a token; digits and
 * punctuation two, because most tokenizers split them; other alphabets two; Han, Kana and Hangul one.
 */
function weight(code: number): number {
  if (code < 0x80) {
    const letter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code <= 0x20;
    return letter ? 1 : 2;
  }
  const eastAsian =
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7ff) ||
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xffef);
  return eastAsian ? 4 : 2;
}

/** About how many tokens a model makes of the text, rounded up: an estimate that needs no tokenizer. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let i = 0; i < text.length; i++) quarters += weight(text.charCodeAt(i));
  return Math.ceil(quarters / 4);
}

/** The longest beginning of the text that is estimated at no more than `maxTokens` and splits no surrogate pair. */
export function cutText(text: string, maxTokens: number): string {
  // No code unit is estimated at more than a token, so most texts are known to fit at once.
  if (text.length <= maxTokens) return text;
  let quarters = 0;
  for (let i = 0; i < text.length; i++) {
    quarters += weight(text.charCodeAt(i));
    if (quarters > maxTokens * 4) {
      const end = isLowSurrogate(text.charCodeAt(i)) && isHighSurrogate(text.charCodeAt(i - 1)) ? i - 1 : i;
      return text.slice(0, end);
    }
  }
  return text;
}

/** Texts as they are sent, and for each whether it was cut. */
export interface FittedTexts {
  texts: string[];
  cut: boolean[];
}

/** Makes texts fit to be sent: no half surrogate pairs, which some servers refuse; none empty; none over the limit. */
export function fitTexts(texts: readonly string[], maxTokens: number): FittedTexts {
  const shortened = texts.map((text) => cutText(text, maxTokens));
  return {
    texts: shortened.map((text) => text.toWellFormed() || " "),
    cut: shortened.map((text, i) => text.length < (texts[i]?.length ?? 0)),
  };
}

export interface RequestLimits {
  maxTexts: number;
  maxTokens: number;
  maxBytes: number;
}

/** Splits texts into runs `[from, to)`, in order, that each keep to the limits unless it is one text alone. */
export function planRequests(texts: readonly string[], limits: RequestLimits): [from: number, to: number][] {
  const runs: [number, number][] = [];
  let from = 0;
  let tokens = 0;
  let bytes = 0;
  for (const [position, text] of texts.entries()) {
    const textTokens = estimateTokens(text);
    const textBytes = Buffer.byteLength(JSON.stringify(text));
    const full =
      position - from === limits.maxTexts ||
      tokens + textTokens > limits.maxTokens * REQUEST_MARGIN ||
      bytes + textBytes > limits.maxBytes;
    if (full && position > from) {
      runs.push([from, position]);
      from = position;
      tokens = 0;
      bytes = 0;
    }
    tokens += textTokens;
    bytes += textBytes;
  }
  if (texts.length > from) runs.push([from, texts.length]);
  return runs;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The sentence for texts that were cut. It quotes nothing: texts are private. */
export function cutWarning(count: number, model: string, maxTokens: number): string {
  const texts = count === 1 ? "1 text was" : `${count} texts were`;
  return `${texts} longer than the ${maxTokens} tokens that ${model} reads; the rest is not embedded. Smaller chunks avoid that.`;
}
