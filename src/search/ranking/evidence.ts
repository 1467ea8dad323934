/** One term of the query against the index: how rare it is, and which of the query's concepts it spells. */
interface TermRarity {
  readonly concept: number;
  /** Its inverse document frequency as BM25 weighs it. */
  readonly idf: number;
}

/** The scores of this index by chance: the noise that a hit must stand out of. */
export interface Background {
  /** Chunks in the index. */
  readonly chunks: number;
  /** The idf of all terms of the query, found or not. */
  readonly wanted: number;
  /** Which share of it is of parts, such as pairs of characters, that overlap: 0..1. */
  readonly overlapping?: number;
  /**
   * `mean` of the query's cosines with the chunks; `deviation` of the cosines of questions with this model's texts in this index, or
   * of this question with most of them if that is larger.
   * `sensitivity`: how well the model tells apart what belongs together here (`sensitivityOf`). undefined: too few chunks have an
   * embedding to tell.
   */
  readonly cosines: { readonly mean: number; readonly deviation: number; readonly sensitivity: number } | undefined;
}

/** Scores of one chunk, as far as they are known. */
export interface Scored {
  readonly bm25?: number | undefined;
  /** Sum of the idf of the query's concepts that the chunk has (`matchedIdf`). */
  readonly matched?: number | undefined;
  /** Cosine similarity. */
  readonly similarity?: number | undefined;
}

export interface ArmWeights {
  vectorWeight: number;
  textWeight: number;
}

/** The contract's weights: with these an arm's evidence counts as it is. */
export const USUAL_WEIGHTS: ArmWeights = { vectorWeight: 0.7, textWeight: 0.3 };

/**
 * The evidence for a chunk as a multiple of chance: 1 is the evidence of the best of as many random chunks. It depends on
 * the query, the chunk and the index as a whole, never on other hits.
 *
 *   near = w_v / 0.7 · d′ / 1.4 · vectorEvidence,  said = w_t / 0.3 · textEvidence,  evidence = (near^p + said^p)^(1 / p)
 *
 * d′ is how well this model tells texts of this index apart (`sensitivityOf`): a model that does not read them has no vote.
 * Both arms partly measure the same, so together they count a little less than their sum: the p-norm of Salton, Fox and Wu
 * (1983) with p = 1.1.
 *
 * A new chunk has no embedding yet. Unknown is not zero: its vector evidence is taken to equal its text evidence, but at
 * most that of the best random chunk.
 *
 * @param mode with `keyword` the words alone count, with `vector` the cosine alone
 */
export function evidenceOf(
  scored: Scored,
  mode: "hybrid" | "keyword" | "vector",
  weights: ArmWeights,
  background: Background,
): number {
  const standsOut = vectorEvidence(scored.similarity, background);
  // With the vector arm alone its order is kept, whatever the model's sensitivity.
  if (mode === "vector") return standsOut ?? 0;
  const text = textEvidence(scored, background);
  if (mode === "keyword") return text;
  const vote = (background.cosines?.sensitivity ?? USUAL_SENSITIVITY) / USUAL_SENSITIVITY;
  const near = vote * (standsOut ?? Math.min(1, text));
  const { vectorWeight, textWeight } = weights;
  const parts = [(vectorWeight / USUAL_WEIGHTS.vectorWeight) * near, (textWeight / USUAL_WEIGHTS.textWeight) * text];
  return parts.reduce((sum, part) => sum + part ** NORM, 0) ** (1 / NORM);
}

/** The sensitivity at which a cosine's evidence counts as it is; 1.25 to 1.6 rank alike (docs/BENCHMARKS.md). */
const USUAL_SENSITIVITY = 1.4;
/**
 * Of texts that are nearly all the same cosines hardly vary, and what is a little nearer seems as rare as nothing else. 5 costs no
 * data set anything.
 */
const MOST_VECTOR_EVIDENCE = 5;
/** 1 would be the sum, a large value the better of both; 1 to 1.4 rank alike. */
const NORM = 1.1;

/**
 * ((cos − mean) / (E · deviation))²: how far a cosine lies above the query's mean, by what the nearest of as many random chunks
 * would reach. The square is the cosine's rarity in the measure of words (`evidenceOfRarity`): of z standard deviations or more there
 * is about one in e^(z² / 2), and E² / 2 is about ln N, so (z / E)² is ln(1 / probability) / ln N. The mean is the query's own, since
 * a short or odd query is near to nothing; the deviation is at least the index's, since that of a query which has nothing to do with the
 * index is small and would make a hit of its best.
 *
 * @returns undefined when the cosine or the background is not known
 */
export function vectorEvidence(similarity: number | undefined, { cosines, chunks }: Background): number | undefined {
  if (similarity === undefined || !cosines || cosines.deviation < 1e-6) return undefined;
  const standsOut = (similarity - cosines.mean) / (expectedMaximum(chunks) * cosines.deviation);
  return Math.min(MOST_VECTOR_EVIDENCE, Math.max(0, standsOut) ** 2);
}

/** 1 to 4 rank alike on eleven data sets. */
const TEXT_SCALE = 2;
/**
 * The weight of coverage of the question, beside how often its words occur. With good vectors, the rest of a question is
 * found in other words, and a chunk with a part of the words is mostly not the answer. Without them it often is.
 */
const COVERAGE_POWER = { byWords: 0.4, withVectors: 0.6 };
/** With fewer chunks rarity says little. */
const LEAST_CHUNKS = 8;

/**
 * 2 · BM25 / ln N · (matched / wanted)^p. BM25 is a sum of idf, and words of which the idf is ln N together are expected in one
 * of N chunks by chance. A chunk that has most of what was asked for comes before one that repeats a part of it (coordination
 * level, as in Lucene's classic similarity; here by idf and not by number of words); p is 0.4, and up to 0.6 the better the model
 * tells texts apart.
 */
export function textEvidence(
  { bm25 = 0, matched = 0 }: Scored,
  { chunks, wanted, overlapping = 0, cosines }: Background,
): number {
  if (bm25 <= 0 || wanted <= 0) return 0;
  const { byWords, withVectors } = COVERAGE_POWER;
  const power = byWords + (withVectors - byWords) * Math.min(1, cosines?.sensitivity ?? 0);
  const coverage = Math.min(1, matched / wanted) ** power;
  // Of two overlapping parts the second counts half: where one is, the other mostly is too.
  const independent = 1 - overlapping / 2;
  return independent * coverage * evidenceOfRarity(bm25, chunks);
}

/** 2 · idf / ln N: what words of which the idf is so much say for a chunk that has them. */
export function evidenceOfRarity(idf: number, chunks: number): number {
  return (TEXT_SCALE * idf) / Math.log(Math.max(LEAST_CHUNKS, chunks));
}

/** Whether the chunk's words are so rare that by chance fewer than one chunk would have them. */
export function isRareMatch({ matched = 0 }: Scored, { chunks }: Background): boolean {
  return evidenceOfRarity(matched, chunks) >= TEXT_SCALE;
}

/** Whether a chunk has every word of the query. */
export function hasAllWanted({ matched = 0 }: Scored, { wanted }: Background): boolean {
  return wanted > 0 && matched >= 0.999 * wanted;
}

/**
 * The evidence at which one hit in two is an answer; measured on questions with and without an answer (docs/BENCHMARKS.md).
 */
const EVEN_EVIDENCE = 2.8;

/** Evidence as a score in 0..1: a half is "as likely an answer as not". */
export function scoreOf(evidence: number): number {
  return evidence ** 2 / (evidence ** 2 + EVEN_EVIDENCE ** 2);
}

/**
 * Evidence that the nearest of `times` as many random chunks as there are has by cosine alone, of a model that tells texts apart as
 * short notes are. In a small index the best by chance varies most.
 */
export function evidenceByChance({ chunks }: Background, times: number): number {
  return (expectedMaximum(times * chunks) / expectedMaximum(chunks)) ** 2 / USUAL_SENSITIVITY;
}

/** The largest of n independent standard normal values, on average, to the second order in 1 / ln n (Cramér 1946, §28.6). */
function expectedMaximum(n: number): number {
  const leading = Math.sqrt(2 * Math.log(Math.max(3, n)));
  return leading - (Math.log(Math.log(Math.max(3, n))) + Math.log(4 * Math.PI)) / (2 * leading);
}

/** The idf of the concepts that a chunk has, each counted once, by its rarest spelling there. */
export function matchedIdf(terms: readonly TermRarity[], found: readonly boolean[]): number {
  const best = new Map<number, number>();
  for (const [index, { concept, idf }] of terms.entries())
    if (found[index]) best.set(concept, Math.max(best.get(concept) ?? 0, idf));
  return [...best.values()].reduce((sum, idf) => sum + idf, 0);
}
