/** What the model that embeds a chunk reads of it; the rest would be cut off and found by nobody's meaning. */
export interface TokenLimit {
  /** Most tokens of a chunk, its heading path included. */
  readonly tokens: number;
  /** Tokens of a text, never too few. The sum over lines is that of a text, the ends of lines included. */
  readonly count: (text: string) => number;
}
