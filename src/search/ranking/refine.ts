import { documentGrams, splitUnspaced } from "../words/tokens.ts";
import { expandHits, mergeNeighbours, type Piece, type Surrounded } from "./join-hits.ts";
import type { Ranked } from "./rank.ts";

/** A ranked chunk with its text. */
export interface Refined extends Ranked, Surrounded {
  /** The score of the reranker, which replaces the fused score. */
  rerankScore?: number;
}

interface RefineRequest {
  maxResults: number;
  mmr: { enabled: boolean; lambda: number };
  mergeNeighbours: boolean;
  /** Whether hits that repeat an earlier one are left out. */
  deduplicate: boolean;
}

/** A joined hit must be readable at once, like any other. */
const MAX_MERGED_CHARS = 6000;
/** The longest extended hit of a conversation: about a dozen messages of a chat. */
const MAX_EXPANDED_CHARS = 2000;
/** Similarity is compared pair by pair. */
const MAX_DIVERSIFIED = 50;

/**
 * The last steps, which need texts: reranking, maximal marginal relevance, joining of neighbours, and the best of the rest.
 * Named files stay first.
 *
 * @param pool best first
 * @param scores of a reranker, by chunk; chunks without a score follow those with one
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

/**
 * Orders hits by maximal marginal relevance (Carbonell, Goldstein 1998), so that each adds something to those before it.
 * Next is the hit with the largest λ · relevance − (1 − λ) · max similarity to a chosen hit. Similarity is the Jaccard
 * index of word sets. Relevance is the score scaled to 0..1 over these hits: fused scores often lie within a tenth of each
 * other, and any similarity would outweigh them.
 *
 * @param hits best first; with λ = 1 the order stays
 */
export function diversify<T extends { score: number; text: string }>(hits: readonly T[], lambda: number): T[] {
  const scores = hits.map((hit) => hit.score);
  const [lowest, highest] = [Math.min(...scores), Math.max(...scores)];
  const range = highest - lowest;
  const left = hits.map((hit) => ({
    hit,
    words: wordSet(hit.text),
    relevance: range > 0 ? (hit.score - lowest) / range : 1,
    nearest: 0,
  }));
  const ordered: T[] = [];
  while (left.length > 0) {
    let best = 0;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (const [index, { relevance, nearest }] of left.entries()) {
      const value = lambda * relevance - (1 - lambda) * nearest;
      if (value > bestValue) [best, bestValue] = [index, value];
    }
    const [chosen] = left.splice(best, 1);
    if (!chosen) break;
    ordered.push(chosen.hit);
    for (const one of left) one.nearest = Math.max(one.nearest, jaccard(one.words, chosen.words));
  }
  return ordered;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text without regard to case, and of unspaced scripts the pairs of neighbouring characters. */
export function wordSet(text: string): Set<string> {
  const words = new Set<string>();
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    const split = splitUnspaced(word);
    for (const rest of split?.rest ?? [word]) words.add(rest);
    for (const run of split?.runs ?? []) for (const gram of documentGrams(run)) if (gram.length > 1) words.add(gram);
  }
  return words;
}

/** Jaccard similarity, |a ∩ b| / |a ∪ b|: 0..1; of two empty sets 0. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** The rest of a longer hit says more than the fact. */
const MOST_TIMES = 2;
/** A longer text is not shown whole, so the fact may be missing. */
const MOST_CHARS = 650;

/**
 * Drops hits that repeat an earlier one: a fact inside the text of one, and a text that is hardly more than an earlier
 * fact. A captured fact has the words of its message, so both are found by the same question.
 *
 * @param hits best first
 * @param isFact whether a hit is one
 */
export function dropRepeated<T extends Piece>(hits: readonly T[], isFact: (hit: T) => boolean): T[] {
  const shown: Said[] = [];
  return hits.filter((hit) => {
    const one = { words: wordsOf(hit.text), isFact: isFact(hit) };
    const isSaid = shown.some((earlier) => repeats(one, earlier));
    if (!isSaid && hit.text.length <= MOST_CHARS) shown.push(one);
    return !isSaid;
  });
}

interface Said {
  words: string;
  isFact: boolean;
}

function repeats(one: Said, earlier: Said): boolean {
  if (one.words === "" || one.isFact === earlier.isFact) return false;
  if (one.isFact) return earlier.words.includes(one.words);
  return one.words.length <= MOST_TIMES * earlier.words.length && one.words.includes(earlier.words);
}

/** Lower-case words with a space around each, so that only whole words match. */
function wordsOf(text: string): string {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}
