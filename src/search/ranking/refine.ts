import { dropRepeated } from "./drop-repeated.ts";
import { expandHits, type Surrounded } from "./expand-hits.ts";
import { mergeNeighbours } from "./merge-neighbours.ts";
import { diversify } from "./mmr.ts";
import type { Ranked } from "./rank.ts";

/** A ranked chunk with its text. */
export interface Refined extends Ranked, Surrounded {
  /** What a reranker said, which is then the score. */
  rerankScore?: number;
}

export interface RefineRequest {
  maxResults: number;
  mmr: { enabled: boolean; lambda: number };
  mergeNeighbours: boolean;
  /** Whether what an earlier hit says is left out. */
  deduplicate: boolean;
}

/** A joined hit is to be read at once, like any other. */
const MAX_MERGED_CHARS = 6000;
/** Of a conversation with the messages around it: about a dozen messages of a chat. */
export const MAX_EXPANDED_CHARS = 2000;
/** Similarity is compared pair by pair. */
const MAX_DIVERSIFIED = 50;

/**
 * The last steps, which need texts: what a reranker said, maximal marginal relevance, neighbours as one, the best of what is
 * then left. Named files stay first.
 *
 * @param pool best first
 * @param scores of a reranker, by chunk; those it did not see follow those it did
 */
export function refine(
  pool: readonly (Ranked & Surrounded)[],
  scores: ReadonlyMap<string, number>,
  request: RefineRequest,
): Refined[] {
  const named = pool.filter((hit) => hit.named);
  let rest: Refined[] = rerank(
    pool.filter((hit) => !hit.named),
    scores,
  );
  if (request.mmr.enabled) {
    const diverse = diversify(rest.slice(0, MAX_DIVERSIFIED), request.mmr.lambda);
    rest = [...diverse, ...rest.slice(MAX_DIVERSIFIED)];
  }
  const all: Refined[] = [...named, ...rest];
  const ordered = request.deduplicate ? dropRepeated(all, (hit) => hit.importance !== undefined) : all;
  const whole = request.mergeNeighbours
    ? mergeNeighbours(expandHits(ordered, MAX_EXPANDED_CHARS), MAX_MERGED_CHARS)
    : ordered;
  return whole.slice(0, request.maxResults);
}

function rerank(hits: readonly (Ranked & Surrounded)[], scores: ReadonlyMap<string, number>): Refined[] {
  const seen = hits.flatMap((hit) => {
    const rerankScore = scores.get(hit.chunkId);
    return rerankScore === undefined ? [] : [{ ...hit, score: rerankScore, rerankScore }];
  });
  seen.sort((a, b) => b.rerankScore - a.rerankScore);
  return [...seen, ...hits.filter((hit) => !scores.has(hit.chunkId))];
}
