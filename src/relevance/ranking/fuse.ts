import { type ArmWeights, type Background, evidenceOf, factBackground, scoreOf, USUAL_WEIGHTS } from "./evidence.ts";

/** A chunk with its scores from both arms. */
export interface Candidate {
  chunkId: string;
  /** BM25, unbounded; undefined when the keyword arm did not find the chunk. */
  bm25?: number;
  /** The sum of the idf of the query's concepts that the chunk has (`matchedIdf`). */
  matched?: number;
  /** For each of the query's terms, whether the chunk has it. */
  found?: readonly boolean[];
  /** Cosine similarity; undefined when the chunk has no embedding yet or the vector arm is off. */
  similarity?: number;
  /** Whether the chunk is a fact, which is scored against `factBackground`. */
  isFact?: boolean;
  /** The evidence of a date that the question names (`withDateEvidence`). */
  dateEvidence?: number;
}

export interface FusedHit {
  chunkId: string;
  /** 0..1, higher is better. */
  score: number;
  /** The chunk's evidence as a multiple of chance; 0 without a background. */
  evidence: number;
  /** For a fact: its evidence as a multiple of the chance that a fact has (`factBackground`). */
  evidenceAsFact?: number;
  /** The cosine similarity; a negative one becomes 0. */
  vectorScore?: number;
  /**
   * BM25 divided by the best BM25 of this search: 0..1. A higher BM25 always gives a higher score.
   */
  textScore?: number;
}

export interface FusionSettings extends ArmWeights {
  fusion: "adaptive" | "weighted" | "rrf";
  rrfK: number;
}

export type SearchMode = "hybrid" | "keyword" | "vector";

/**
 * Ranks candidates by a score in 0..1, best first. Equal scores are ordered by similarity, then by
 * chunk id, so that a search is repeatable. With `adaptive` the score depends on the hit alone:
 * each arm's score is measured against chance in this index (`evidenceOf`), so for each hit the arm
 * that knows the answer counts more. `weighted` and `rrf` compare hits with each other.
 *
 * @param background the scores by chance; without them `adaptive` works like `weighted`
 * @param facts the number of facts in the index, if it is known
 */
export function fuse(
  candidates: readonly Candidate[],
  mode: SearchMode,
  settings: FusionSettings,
  background?: Background,
  facts?: number,
): FusedHit[] {
  const bestBm25 = Math.max(0, ...candidates.map((candidate) => candidate.bm25 ?? 0));
  // With `rrf` the weights apply to ranks, which do not say how far a score is from chance.
  const weights = settings.fusion === "rrf" ? USUAL_WEIGHTS : settings;
  const isAdaptive = settings.fusion === "adaptive" && background !== undefined;
  const ofFacts = background && factBackground(background, facts);
  const evidenceIn = (candidate: Candidate, by: Background | undefined) =>
    by ? evidenceOf(candidate, mode, weights, by) + (candidate.dateEvidence ?? 0) : 0;
  const hits = candidates.map((candidate): FusedHit => {
    // A floor compares every text with all texts.
    const evidence = evidenceIn(candidate, background);
    const evidenceAsFact = candidate.isFact ? evidenceIn(candidate, ofFacts) : undefined;
    const fused = isAdaptive ? scoreOf(evidenceAsFact ?? evidence) : 0;
    const hit: FusedHit = { chunkId: candidate.chunkId, score: fused, evidence };
    if (evidenceAsFact !== undefined) hit.evidenceAsFact = evidenceAsFact;
    if (candidate.similarity !== undefined) hit.vectorScore = Math.min(1, Math.max(0, candidate.similarity));
    if (candidate.bm25 !== undefined) hit.textScore = bestBm25 > 0 ? candidate.bm25 / bestBm25 : 0;
    return hit;
  });
  if (!isAdaptive) score(hits, mode, settings);
  return hits.sort(byScore);
}

function byScore(a: FusedHit, b: FusedHit): number {
  return b.score - a.score || (b.vectorScore ?? 0) - (a.vectorScore ?? 0) || compareIds(a.chunkId, b.chunkId);
}

function score(hits: FusedHit[], mode: SearchMode, settings: FusionSettings): void {
  if (mode === "keyword") for (const hit of hits) hit.score = hit.textScore ?? 0;
  else if (mode === "vector") for (const hit of hits) hit.score = hit.vectorScore ?? 0;
  else if (settings.fusion === "rrf") scoreByRank(hits, settings);
  else scoreByWeight(hits, settings);
}

/**
 * Sets score = w_v · cosine + w_t · bm25 / max(bm25), with weights that sum to 1. A chunk without
 * an embedding gets a similarity by its text score, between the least and the most similar
 * candidate.
 */
function scoreByWeight(hits: FusedHit[], settings: ArmWeights): void {
  const total = settings.vectorWeight + settings.textWeight || 1;
  const known = hits.flatMap((hit) => (hit.vectorScore === undefined ? [] : [hit.vectorScore]));
  const [least, most] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [0, 0];
  for (const hit of hits) {
    const { textScore = 0, vectorScore = least + textScore * (most - least) } = hit;
    hit.score = (settings.vectorWeight * vectorScore + settings.textWeight * textScore) / total;
  }
}

/**
 * Scores by reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): Σ w_arm / (k + rank_arm),
 * divided by its largest possible value so that 1 means "first in both arms". Both weights are 1
 * unless the settings name one (`resolveSettings`).
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

/**
 * Compares chunk ids. An id is a bigint as text; in a shared memory it follows a name such as
 * `@handbook/`. Names are compared first; within a name the longer number is the larger. If whole
 * ids were compared by length, the order of hits from two memories would reveal how many chunks
 * each memory has.
 */
function compareIds(a: string, b: string): number {
  const [[ofA, idA], [ofB, idB]] = [split(a), split(b)];
  if (ofA !== ofB) return ofA < ofB ? -1 : 1;
  return idA.length - idB.length || (idA < idB ? -1 : idA > idB ? 1 : 0);
}

function split(id: string): [string, string] {
  const end = id.lastIndexOf("/") + 1;
  return [id.slice(0, end), id.slice(end)];
}
