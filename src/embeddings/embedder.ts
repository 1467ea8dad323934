import type { EmbedBatches } from "./embed-batches.ts";

/** Models that tell questions from answers embed the two differently. */
export type EmbedInputType = "query" | "document";

/**
 * Reports one request to the provider: its tokens as the provider counts them, else an estimate, and how many texts were
 * cut to the model's limit.
 */
export type EmbedReport = (usage: { tokens: number; cutTexts: number }) => void;

/** A source of embeddings. Provider `none` has no Embedder. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /** Fingerprint of what else decides a vector: API key, endpoint, requested dimensions, input types. Never the key. */
  readonly providerKey: string;
  /** Where the provider is, as `endpointOf` says; unset for a model of this process. */
  readonly endpoint?: string | undefined;
  /** Most texts one call should get. */
  readonly maxBatchTexts: number;
  /** Calls that are answered side by side; 1 unless it says more. */
  readonly parallelCalls?: number | undefined;
  /** Tokens of one text that the model reads; what is beyond them is cut off and does not count. */
  readonly maxInputTokens: number;
  /** A `tokenizer.json` on this machine by which the model's tokens can be counted. */
  readonly tokenizerPath?: string | undefined;
  /** Embeds many documents in the provider's own time; undefined when the provider has no such thing. */
  readonly batches?: EmbedBatches | undefined;
  /**
   * Embeds texts; vectors have unit length and come in the order of the texts.
   *
   * @param report called once for each request that the provider answered
   * @throws AppError `embedder_unavailable` (try again later; `details.status`, `details.retryAfterMs` when known) or
   *   `embedder_rejected` (do not; `details.status`, and `details.fault`: `request` when key, model or settings are wrong,
   *   `text` when another or a smaller batch may pass)
   */
  embed(
    texts: readonly string[],
    inputType: EmbedInputType,
    signal?: AbortSignal,
    report?: EmbedReport,
  ): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Whether the model is loaded into this process, where it keeps memory and computes. A provider over HTTP does neither. */
export function runsInProcess({ provider }: Pick<Embedder, "provider">): boolean {
  return provider === "builtin" || provider === "local";
}

/** The same embedder, whose calls are made by another function. Field by field: it may be an object of a class. */
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
