/** What both arms know of one chunk. */
export interface Candidate {
  chunkId: string;
  /** BM25, unbounded; undefined when the keyword arm did not find the chunk. */
  bm25?: number;
  /** Cosine similarity; undefined when the chunk has no embedding yet or the vector arm is off. */
  similarity?: number;
}

export interface FusedHit {
  chunkId: string;
  /** 0..1, higher is better. */
  score: number;
  /** Cosine similarity, negative clipped to 0. */
  vectorScore?: number;
  /** BM25 divided by the best BM25 of this search: 0..1, and a higher BM25 is always a higher score. */
  textScore?: number;
}

export interface FusionSettings {
  fusion: "weighted" | "rrf";
  vectorWeight: number;
  textWeight: number;
  rrfK: number;
}

export type SearchMode = "hybrid" | "keyword" | "vector";

/** Ranks candidates by one number in 0..1, best first; ties by chunk id, so that a search repeats exactly. */
export function fuse(candidates: readonly Candidate[], mode: SearchMode, settings: FusionSettings): FusedHit[] {
  const bestBm25 = Math.max(0, ...candidates.map((candidate) => candidate.bm25 ?? 0));
  const hits = candidates.map((candidate): FusedHit => {
    const hit: FusedHit = { chunkId: candidate.chunkId, score: 0 };
    if (candidate.similarity !== undefined) hit.vectorScore = Math.min(1, Math.max(0, candidate.similarity));
    if (candidate.bm25 !== undefined) hit.textScore = bestBm25 > 0 ? candidate.bm25 / bestBm25 : 0;
    return hit;
  });
  score(hits, mode, settings);
  return hits.sort((a, b) => b.score - a.score || compareIds(a.chunkId, b.chunkId));
}

function score(hits: FusedHit[], mode: SearchMode, settings: FusionSettings): void {
  if (mode === "keyword") for (const hit of hits) hit.score = hit.textScore ?? 0;
  else if (mode === "vector") for (const hit of hits) hit.score = hit.vectorScore ?? 0;
  else if (settings.fusion === "rrf") scoreByRank(hits, settings);
  else scoreByWeight(hits, settings);
}

/**
 * score = w_v · cosine + w_t · bm25 / max(bm25), weights summing to 1.
 *
 * A chunk written a moment ago has no embedding. Unknown is not zero: with 0 it could reach at most the text weight, fall
 * under the default floor and be lost to the very next request. It gets the lowest similarity of the candidates that have
 * one, the most that is known not to flatter it.
 */
function scoreByWeight(hits: FusedHit[], settings: FusionSettings): void {
  const total = settings.vectorWeight + settings.textWeight || 1;
  const known = hits.flatMap((hit) => (hit.vectorScore === undefined ? [] : [hit.vectorScore]));
  const unknownSimilarity = known.length > 0 ? Math.min(...known) : 0;
  for (const hit of hits) {
    const vector = hit.vectorScore ?? unknownSimilarity;
    hit.score = (settings.vectorWeight * vector + settings.textWeight * (hit.textScore ?? 0)) / total;
  }
}

/**
 * Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): Σ w_arm / (k + rank_arm), divided by its largest possible value
 * so that 1 means "first in both arms".
 */
function scoreByRank(hits: FusedHit[], settings: FusionSettings): void {
  const byVector = ranks(hits, (hit) => hit.vectorScore);
  const byText = ranks(hits, (hit) => hit.textScore);
  const best = (settings.vectorWeight + settings.textWeight) / (settings.rrfK + 1) || 1;
  for (const hit of hits) {
    const vectorRank = byVector.get(hit.chunkId);
    const textRank = byText.get(hit.chunkId);
    const vector = vectorRank === undefined ? 0 : settings.vectorWeight / (settings.rrfK + vectorRank);
    const text = textRank === undefined ? 0 : settings.textWeight / (settings.rrfK + textRank);
    hit.score = (vector + text) / best;
  }
}

function ranks(hits: readonly FusedHit[], value: (hit: FusedHit) => number | undefined): Map<string, number> {
  const ordered = hits
    .filter((hit) => value(hit) !== undefined)
    .toSorted((a, b) => (value(b) ?? 0) - (value(a) ?? 0) || compareIds(a.chunkId, b.chunkId));
  return new Map(ordered.map((hit, index) => [hit.chunkId, index + 1]));
}

/** Ids are bigint in text: the longer is the larger. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
