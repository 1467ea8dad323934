import { readFileSync } from "node:fs";
import { countOf } from "../base/text/count-of.ts";
import { MODEL_TABLE } from "../onnx/model-table.ts";
import { createTokenCounter, createTokenizer } from "../onnx/wordpiece-tokenizer.ts";

/**
 * The share of a request's limit that is used. A tokenizer may count more than the estimate, and a
 * request over the limit fails with all its texts.
 */
const REQUEST_MARGIN = 0.75;

/**
 * Returns the weight of one UTF-16 code unit in quarters of a token. English letters come four to a
 * token; digits and punctuation two, because most tokenizers split them; letters of other alphabets
 * two; Han, Kana and Hangul one.
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

/** Estimates how many tokens a model makes of the text, rounded up. Needs no tokenizer. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let i = 0; i < text.length; i++) quarters += weight(text.charCodeAt(i));
  return Math.ceil(quarters / 4);
}

/**
 * Returns the longest beginning of the text that is estimated at no more than `maxTokens` and does
 * not split a surrogate pair.
 */
export function cutText(text: string, maxTokens: number): string {
  // No code unit is estimated at more than one token, so most texts are known to fit at once.
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

/** The texts to send, and for each whether it was cut. */
interface FittedTexts {
  texts: string[];
  cut: boolean[];
}

/**
 * Makes texts ready to send: replaces lone surrogates (which some servers refuse) and empty texts,
 * and cuts texts that are over the limit.
 */
export function fitTexts(texts: readonly string[], maxTokens: number): FittedTexts {
  const shortened = texts.map((text) => cutText(text, maxTokens));
  return {
    texts: shortened.map((text) => text.toWellFormed() || " "),
    cut: shortened.map((text, i) => text.length < (texts[i]?.length ?? 0)),
  };
}

interface RequestLimits {
  maxTexts: number;
  maxTokens: number;
  maxBytes: number;
}

/**
 * Splits texts into runs `[from, to)`, in order. Each run keeps to the limits, except a run of one
 * text that is over a limit itself.
 */
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

/** Returns the warning about texts that were cut. It quotes no text, because texts are private. */
export function cutWarning(count: number, model: string, maxTokens: number): string {
  const texts = countOf(count, "text was", "texts were");
  return `${texts} longer than the ${maxTokens} tokens that ${model} reads; the rest is not embedded. Smaller chunks avoid that.`;
}

/** A model's limit for one text, as plain data that a worker thread can receive. */
export interface InputLimit {
  readonly tokens: number;
  /**
   * The path of the model's own tokenizer, which counts tokens. Without it tokens are estimated.
   */
  readonly tokenizerPath?: string | undefined;
}

/** The tokens that the tokenizer puts around a text. */
const MARKERS = 2;
/**
 * The share of a limit that is used where tokens are estimated. For hexadecimal digits a tokenizer
 * makes a third more tokens than the estimate.
 */
const ESTIMATE_SHARE = 0.75;

/** Returns an embedder's limit for one document. */
export function inputLimitOf({
  maxInputTokens,
  tokenizerPath,
}: {
  readonly maxInputTokens: number;
  readonly tokenizerPath?: string | undefined;
}): InputLimit {
  return tokenizerPath === undefined
    ? { tokens: Math.floor(maxInputTokens * ESTIMATE_SHARE) }
    : { tokens: maxInputTokens - MARKERS, tokenizerPath };
}

const counters = new Map<string, (text: string) => number>();

/**
 * Returns the token counter of a limit. The count of a text is never more than the sum of the
 * counts of its lines. The vocabulary is read at the first call, in 12 ms, and kept: 5 MB in each
 * thread that counts, for each model in use.
 */
export function countTokens({ tokenizerPath }: Pick<InputLimit, "tokenizerPath">): (text: string) => number {
  if (tokenizerPath === undefined) return estimateLine;
  const counter =
    counters.get(tokenizerPath) ?? createTokenCounter(createTokenizer(readFileSync(tokenizerPath, "utf8")));
  counters.set(tokenizerPath, counter);
  return counter;
}

/** Estimates one line with its line end, which is a quarter of a token by the same estimate. */
function estimateLine(text: string): number {
  return estimateTokens(text) + 0.25;
}

/**
 * Returns whether a model is known to read a script; undefined when that is unknown. The built-in
 * models of the table were trained on English: they see letters of other scripts but no words.
 * Nothing is known about models in the operator's own folder.
 */
export function readsScript(
  { provider, model }: { provider: string; model: string },
  script: string,
): boolean | undefined {
  const isOfTable = provider === "builtin" && MODEL_TABLE.some(({ name }) => name === model);
  return isOfTable ? script === "Latin" : undefined;
}
