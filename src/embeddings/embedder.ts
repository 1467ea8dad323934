import type { EmbedBatches } from "./embed-batches.ts";

/** The kind of text. Some models embed questions and answers differently. */
export type EmbedInputType = "query" | "document";

/**
 * Receives the usage of one request to the provider: its tokens (the provider's count, else an
 * estimate) and the number of texts that were cut to the model's limit.
 */
export type EmbedReport = (usage: { tokens: number; cutTexts: number }) => void;

/** A source of embeddings. Provider `none` has no Embedder. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** The length of every vector. */
  readonly dimensions: number;
  /**
   * A fingerprint of everything besides provider and model that decides a vector: API key,
   * endpoint, requested dimensions, input types. It never contains the key itself.
   */
  readonly providerKey: string;
  /**
   * The provider's place as `endpointOf` returns it; unset for a model that runs in this process.
   */
  readonly endpoint?: string | undefined;
  /** The most texts that one call should get. */
  readonly maxBatchTexts: number;
  /** The number of calls that are answered concurrently. Default: 1. */
  readonly parallelCalls?: number | undefined;
  /**
   * The number of tokens of one text that the model reads. The rest of the text is cut off and not
   * counted.
   */
  readonly maxInputTokens: number;
  /** The path of a `tokenizer.json` that counts the model's tokens. */
  readonly tokenizerPath?: string | undefined;
  /**
   * Embeds many documents in the provider's own time; undefined when the provider has no batch API.
   */
  readonly batches?: EmbedBatches | undefined;
  /**
   * Embeds texts. Vectors have unit length and come in the order of the texts.
   *
   * @param report called once for each request that the provider answered
   * @throws AppError `embedder_unavailable` (try again later; `details.status` and
   *   `details.retryAfterMs` when known) or `embedder_rejected` (do not try again;
   *   `details.status`, and `details.fault`: `request` when the key, the model or the settings are
   *   wrong, `text` when another text or a smaller batch may pass)
   */
  embed(
    texts: readonly string[],
    inputType: EmbedInputType,
    signal?: AbortSignal,
    report?: EmbedReport,
  ): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/**
 * Returns whether the model is loaded into this process and uses its memory and processor. A
 * provider over HTTP does neither.
 */
export function runsInProcess({ provider }: Pick<Embedder, "provider">): boolean {
  return provider === "builtin" || provider === "local";
}

/**
 * Returns a copy of the embedder with another `embed` function. Copies field by field, because a
 * spread would lose the methods of a class.
 */
export function withEmbed(embedder: Embedder, embed: Embedder["embed"]): Embedder {
  return {
    provider: embedder.provider,
    model: embedder.model,
    dimensions: embedder.dimensions,
    providerKey: embedder.providerKey,
    endpoint: embedder.endpoint,
    maxBatchTexts: embedder.maxBatchTexts,
    parallelCalls: embedder.parallelCalls,
    maxInputTokens: embedder.maxInputTokens,
    tokenizerPath: embedder.tokenizerPath,
    batches: embedder.batches,
    embed,
    close: () => embedder.close(),
  };
}
