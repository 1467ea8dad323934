import { wordsBetweenSpaces } from "../words/statements.ts";
import { documentGrams, splitUnspaced } from "../words/tokens.ts";
import { answersFirst } from "./answers-first.ts";
import { expandHits, mergeNeighbours, type Piece, type Surrounded } from "./join-hits.ts";
import type { Ranked } from "./rank.ts";

/** A ranked chunk with its text. */
export interface Refined extends Ranked, Surrounded {
  /** The reranker's score, which replaces the fused score. */
  rerankScore?: number;
  /** Whether the hit is a passage that only asks (`answersFirst`). */
  onlyAsks?: true;
  /** Whether the hit does not name the owner whom the question names (`answersFirst`). */
  lacksOwner?: true;
}

interface RefineRequest {
  maxResults: number;
  mmr: { enabled: boolean; lambda: number };
  mergeNeighbours: boolean;
  /** Whether hits that repeat an earlier one are left out. */
  deduplicate: boolean;
  /** The question; undefined if the hits are a list, which has no answer. */
  question: string | undefined;
}

/** The most characters of a merged hit. A merged hit must be readable at once, like any other. */
const MAX_MERGED_CHARS = 6000;
/** The most characters of an extended hit of a conversation: about a dozen messages of a chat. */
const MAX_EXPANDED_CHARS = 2000;
/** The most hits that are reordered for diversity, because every pair of them is compared. */
const MAX_DIVERSIFIED = 50;

/**
 * Applies the last steps of a search, which need the texts: reranking, maximal marginal relevance,
 * removal of repeated hits, merging of neighbours, answers before mere questions, and the cut to
 * `maxResults`. Files that the query names stay first.
 *
 * @param pool the hits, best first
 * @param scores the reranker's scores by chunk; chunks without a score follow the chunks with one
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
  const { question, maxResults } = request;
  const placed = question === undefined ? whole : answersFirst(whole, question, maxResults);
  return placed.slice(0, maxResults);
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
 * Orders hits by maximal marginal relevance (Carbonell, Goldstein 1998), so that each hit adds
 * something to the hits before it. The next hit is the one with the largest λ · relevance − (1 − λ)
 * · max similarity to a chosen hit. Similarity is the Jaccard index of the word sets. Relevance is
 * the score scaled to 0..1 over these hits: fused scores often lie within a tenth of each other,
 * and any similarity would outweigh them.
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

/**
 * Returns the words of a text in lower case. Runs of unspaced scripts are represented by their
 * pairs of neighbouring characters.
 */
export function wordSet(text: string): Set<string> {
  const words = new Set<string>();
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    const split = splitUnspaced(word);
    for (const rest of split?.rest ?? [word]) words.add(rest);
    for (const run of split?.runs ?? []) for (const gram of documentGrams(run)) if (gram.length > 1) words.add(gram);
  }
  return words;
}

/** Returns the Jaccard similarity |a ∩ b| / |a ∪ b|, 0..1; 0 for two empty sets. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/**
 * How many times as long as a fact a passage may be and still repeat it. The rest of a longer
 * passage says more than the fact.
 */
const MOST_TIMES = 2;
/**
 * The longest text that can make later hits repetitions. A longer text is not shown whole, so the
 * fact may be missing from its snippet.
 */
const MOST_CHARS = 650;

/**
 * Drops hits that repeat an earlier hit: a fact whose words are in an earlier passage, and a
 * passage that is hardly longer than the earlier fact that it contains. A captured fact has the
 * words of its message, so one question finds both.
 *
 * @param hits best first
 * @param isFact tells whether a hit is a fact
 */
export function dropRepeated<T extends Piece>(hits: readonly T[], isFact: (hit: T) => boolean): T[] {
  const shown: Said[] = [];
  return hits.filter((hit) => {
    const one = { words: wordsBetweenSpaces(hit.text), isFact: isFact(hit) };
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
