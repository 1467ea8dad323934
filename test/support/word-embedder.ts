import { createHash } from "node:crypto";
import type { Embedder, EmbedInputType } from "../../src/embeddings/embedder.ts";

/**
 * An embedder at the real seam that needs no model. A text's vector is the sum of a fixed random
 * direction for each of its words, so texts that share words are close. It records the texts that
 * it was asked for.
 */
export class WordEmbedder implements Embedder {
  readonly provider: string = "test";
  readonly model: string = "words";
  readonly dimensions: number = 64;
  readonly providerKey: string = "test";
  readonly maxBatchTexts: number = 100;
  readonly maxInputTokens: number = 8191;
  readonly asked: string[] = [];
  /** Set to make every call fail. */
  failure: Error | undefined;
  /** Set to hold the embedding of documents, but not of queries, until it resolves. */
  gate: Promise<void> | undefined;

  /** Set to never answer a query. */
  silent = false;

  async embed(texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal): Promise<Float32Array[]> {
    if (this.failure) throw this.failure;
    if (this.silent && inputType === "query") {
      await new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    }
    if (this.gate && inputType === "document") await this.gate;
    signal?.throwIfAborted();
    this.asked.push(...texts);
    return texts.map((text) => wordVector(text, this.dimensions));
  }

  async close(): Promise<void> {}
}

/** An embedder of another model. */
export class OtherEmbedder extends WordEmbedder {
  override readonly model = "other-words";
  override readonly dimensions: number;

  constructor(dimensions = 32) {
    super();
    this.dimensions = dimensions;
  }
}

/**
 * Returns a function that chooses the embedder whose model the settings name, or else the first.
 */
export function byModel<E extends Embedder>(...embedders: [E, ...E[]]) {
  return async (settings: { model?: string | undefined }): Promise<E> =>
    embedders.find((one) => one.model === settings.model) ?? embedders[0];
}

/** Returns the vector of a text. */
export function wordVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["empty"]) {
    const bytes = createHash("sha512").update(word).digest();
    for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] ?? 0) + (bytes[i % bytes.length] ?? 0) / 127.5 - 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
