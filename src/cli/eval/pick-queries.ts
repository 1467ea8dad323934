import type { EvalQuery } from "./read-dataset.ts";
import { seededRandom } from "./statistics.ts";

/** All queries, the first `limit` of them, or as many chosen at random: the same ones for the same seed, in file order. */
export function pickQueries(queries: readonly EvalQuery[], limit?: number, seed?: number): EvalQuery[] {
  if (limit === undefined || limit >= queries.length) return [...queries];
  if (seed === undefined) return queries.slice(0, limit);
  const random = seededRandom(seed);
  const drawn = queries.map((query, index) => ({ query, index, key: random() })).sort((a, b) => a.key - b.key);
  return drawn
    .slice(0, limit)
    .sort((a, b) => a.index - b.index)
    .map(({ query }) => query);
}
