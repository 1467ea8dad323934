/** Models that tell questions from answers embed the two differently. */
export type EmbedInputType = "query" | "document";

/** A source of embeddings. Provider `none` has no Embedder. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /** Fingerprint of API key, endpoint and requested dimensions; never the key. */
  readonly providerKey: string;
  /** Most texts one call should get. */
  readonly maxBatchTexts: number;
  /**
   * Embeds texts; vectors have unit length and come in the order of the texts.
   *
   * @throws AppError `embedder_unavailable` (try again later) or `embedder_rejected` (do not).
   */
  embed(texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}
