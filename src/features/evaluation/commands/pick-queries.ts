import { seededRandom } from "../../../relevance/measures/statistics.ts";
import type { EvalQuery } from "./read-dataset.ts";

/**
 * Returns all queries, the first `limit` of them, or `limit` queries chosen at random. The same
 * seed chooses the same queries, and they stay in file order.
 */
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
