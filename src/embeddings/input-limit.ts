import { readFileSync } from "node:fs";
import { createTokenCounter } from "../onnx/token-counter.ts";
import { createTokenizer } from "../onnx/wordpiece-tokenizer.ts";
import type { Embedder } from "./embedder.ts";
import { estimateTokens } from "./input-limits.ts";

/** What a model reads of one text, as plain data that goes to a worker thread. */
export interface InputLimit {
  readonly tokens: number;
  /** The model's own tokenizer, which counts; without it tokens are estimated. */
  readonly tokenizerPath?: string | undefined;
}

/** Tokens that the tokenizer puts around a text. */
const MARKERS = 2;
/** How much of a limit is used where tokens are estimated: of hexadecimal digits a tokenizer makes a third more. */
const ESTIMATE_SHARE = 0.75;

/** What an embedder reads of one document. */
export function inputLimitOf({
  maxInputTokens,
  tokenizerPath,
}: Pick<Embedder, "maxInputTokens" | "tokenizerPath">): InputLimit {
  return tokenizerPath === undefined
    ? { tokens: Math.floor(maxInputTokens * ESTIMATE_SHARE) }
    : { tokens: maxInputTokens - MARKERS, tokenizerPath };
}

const counters = new Map<string, (text: string) => number>();

/**
 * The counter of a limit. Of a text it is never more than the sum over its lines. A vocabulary is read when it is first
 * needed, in 12 ms, and kept: 5 MB in each thread that counts, for each model in use.
 */
export function countTokens({ tokenizerPath }: Pick<InputLimit, "tokenizerPath">): (text: string) => number {
  if (tokenizerPath === undefined) return estimateLine;
  const counter =
    counters.get(tokenizerPath) ?? createTokenCounter(createTokenizer(readFileSync(tokenizerPath, "utf8")));
  counters.set(tokenizerPath, counter);
  return counter;
}

/** With the end of the line, which is a quarter of a token by the same estimate. */
function estimateLine(text: string): number {
  return estimateTokens(text) + 0.25;
}
