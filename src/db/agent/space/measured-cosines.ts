/** What the vectors of an index have in common. */
export interface MeasuredCosines {
  /** Of chunks that have an embedding. */
  count: number;
  /** The standard deviation of a chunk's cosines with others; undefined when they are too few. */
  deviation: number | undefined;
  /** The mean of the vectors, each of length one, as pgvector writes it; undefined when there is none. */
  centre: string | undefined;
}
