/** A model that reads query and passage together, which orders a short list better than either arm of a search can. */
export interface Reranker {
  readonly provider: string;
  readonly model: string;
  /**
   * How relevant each text is to the query, 0..1, in the order of the texts.
   *
   * @throws AppError `model_unavailable` or `model_rejected`, or what `signal` was aborted with
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>;
}
