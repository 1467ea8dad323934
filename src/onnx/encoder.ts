import { readFileSync } from "node:fs";
import type { InferenceSession, Tensor } from "onnxruntime-common";
import type { LocatedModel } from "./locate-model.ts";
import type { EmbeddingModel } from "./model-table.ts";
import { openGraph } from "./prepare-graph.ts";
import type { Runtime } from "./runtime.ts";
import { createTokenizer, type Tokenizer } from "./wordpiece-tokenizer.ts";

/** A text to embed, or a question and a passage to judge together. */
export type ModelInput = string | readonly [question: string, passage: string];

/**
 * Limits of one batch with native code. Texts per second, measured on two cores: notes of 14 words
 * 301 one by one, 459 in batches of eight; paragraphs of 70 words 104 one by one, 113 by four, 103
 * by eight; chunks of 300 words 27 one by one, 24 by eight. So short texts are batched and chunks
 * run alone, which also limits a query's wait to one chunk.
 */
const TOGETHER = { maxTexts: 8, maxChars: 1200 };
/** Limits with WebAssembly. It has one thread, so larger batches would only make queries wait. */
const ALONE = { maxTexts: 1, maxChars: 0 };

export interface Encoder {
  readonly kind: Runtime["kind"];
  /**
   * The most inputs that one call of `encode` should get, and the most characters when all are
   * padded to the longest.
   */
  readonly slice: { readonly maxTexts: number; readonly maxChars: number };
  readonly tokenizer: Tokenizer;
  /**
   * Returns the outputs in order: unit vectors from an embedding model, one logit per input from a
   * cross-encoder.
   */
  encode(inputs: readonly ModelInput[]): Promise<Float32Array[]>;
}

interface Encoded {
  readonly ids: readonly number[];
  /** The number of ids that belong to the first text. */
  readonly firstLength: number;
}

/**
 * Loads a model.
 *
 * @param located a model whose files are verified
 * @param cacheDir the folder for the graphs that are made here
 * @throws Error when the files do not hold the kind of model that the table names
 */
export async function openEncoder(located: LocatedModel, runtime: Runtime, cacheDir: string): Promise<Encoder> {
  const { model, tokenizerPath } = located;
  const tokenizer = createTokenizer(readFileSync(tokenizerPath, "utf8"));
  const session = await openGraph(located, cacheDir, (graph) =>
    // WebAssembly cannot read files.
    runtime.open(typeof graph === "string" && runtime.kind === "wasm" ? readFileSync(graph) : graph),
  );
  const output = outputOf(session);
  const tokensOf = (input: ModelInput): Encoded => {
    if (typeof input !== "string") return tokenizer.encodePair(...input, model.maxTokens);
    const ids = tokenizer.encode(input, model.maxTokens);
    return { ids, firstLength: ids.length };
  };
  const encode = async (inputs: readonly ModelInput[]) => {
    const encoded = inputs.map(tokensOf);
    const answer = (await session.run(feedsOf(encoded, session.inputNames, runtime)))[output];
    if (!answer) throw new Error(`The model gives no ${output}.`);
    return model.kind === "embedding" ? pooled(answer, encoded, model) : logits(answer, encoded.length);
  };
  return { kind: runtime.kind, slice: runtime.kind === "wasm" ? ALONE : TOGETHER, tokenizer, encode };
}

/**
 * Returns the name of the output with the hidden states, or of the first output when no output has
 * one of the usual names.
 */
function outputOf({ outputNames }: InferenceSession): string {
  const hidden = outputNames.find((name) => name === "last_hidden_state" || name === "token_embeddings");
  return hidden ?? outputNames[0] ?? "";
}

/**
 * Builds the graph's inputs. Texts of different lengths are padded to the longest; the mask marks
 * the padding with 0.
 */
function feedsOf(encoded: readonly Encoded[], names: readonly string[], runtime: Runtime): Record<string, Tensor> {
  const length = Math.max(...encoded.map(({ ids }) => ids.length));
  const shape = [encoded.length, length];
  const ids = new BigInt64Array(encoded.length * length);
  const mask = new Int32Array(encoded.length * length);
  const types = new BigInt64Array(encoded.length * length);
  for (const [row, input] of encoded.entries()) {
    for (const [column, id] of input.ids.entries()) {
      ids[row * length + column] = BigInt(id);
      mask[row * length + column] = 1;
      if (column >= input.firstLength) types[row * length + column] = 1n;
    }
  }
  const feeds: Record<string, () => Tensor> = {
    ids: () => runtime.int64(ids, shape),
    input_ids: () => runtime.int64(ids, shape),
    positions: () =>
      runtime.int64(
        BigInt64Array.from({ length }, (_, i) => BigInt(i)),
        [length],
      ),
    mask: () => runtime.int32(mask, shape),
    attention_mask: () => runtime.int64(BigInt64Array.from(mask, BigInt), shape),
    token_type_ids: () => runtime.int64(types, shape),
  };
  return Object.fromEntries(
    names.map((name) => {
      const feed = feeds[name];
      if (!feed) throw new Error(`The model needs the input ${name}, which Recollect does not know.`);
      return [name, feed()];
    }),
  );
}

function pooled({ data, dims }: Tensor, encoded: readonly Encoded[], model: EmbeddingModel): Float32Array[] {
  const [, length = 0, dimensions = 0] = dims;
  if (dimensions !== model.dimensions || dims.length !== 3)
    throw new Error(`The model gives ${dims.join(" × ")} numbers; its vectors should have ${model.dimensions}.`);
  const hidden = data as Float32Array;
  return encoded.map(({ ids }, row) =>
    pool(hidden, { firstToken: row * length, tokens: model.pooling === "mean" ? ids.length : 1, dimensions }),
  );
}

/**
 * Returns the mean of a text's token vectors, scaled to unit length (Reimers and Gurevych 2019).
 */
function pool(
  hidden: Float32Array,
  { firstToken, tokens, dimensions }: { firstToken: number; tokens: number; dimensions: number },
): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let token = firstToken; token < firstToken + tokens; token++) {
    for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] ?? 0) + (hidden[token * dimensions + i] ?? 0);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

function logits({ data, dims }: Tensor, count: number): Float32Array[] {
  const numbers = data as Float32Array;
  if (numbers.length !== count) throw new Error(`The model gives ${dims.join(" × ")} numbers, not one for each pair.`);
  return [...numbers].map((logit) => Float32Array.of(logit));
}

/** The positions of texts that go through a model together. */
export type Slice = readonly number[];

/**
 * Cuts a batch into slices of texts of similar length, shortest first. Every position is in exactly
 * one slice. A slice has at most `maxTexts` texts; padded to the longest, they have at most
 * `maxChars` characters, unless the slice is one text.
 */
export function sliceTexts(texts: readonly string[], limits: { maxTexts: number; maxChars: number }): Slice[] {
  const length = (position: number) => texts[position]?.length ?? 0;
  const byLength = [...texts.keys()].sort((a, b) => length(a) - length(b));
  const slices: number[][] = [];
  let slice: number[] = [];
  for (const position of byLength) {
    const full = slice.length === limits.maxTexts || (slice.length + 1) * length(position) > limits.maxChars;
    if (slice.length === 0 || full) {
      slice = [];
      slices.push(slice);
    }
    slice.push(position);
  }
  return slices;
}
