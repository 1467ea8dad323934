/**
 * A model that reads the query and a passage together. It orders a short list better than the
 * keyword arm or the vector arm of a search.
 */
export interface Reranker {
  readonly provider: string;
  readonly model: string;
  /**
   * Returns how relevant each text is to the query, 0..1, in the order of the texts.
   *
   * @throws AppError `model_unavailable` or `model_rejected`, or the abort reason of `signal`
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>;
}
