/** Where a model is asked and by which name. */
export interface ModelEndpoint {
  readonly provider: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Unset: the provider's own address. */
  readonly baseUrl?: string | undefined;
}
