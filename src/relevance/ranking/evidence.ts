import { idf } from "../../db/agent/keyword/bm25.ts";

/**
 * A term of the query: how rare it is in the index, and which of the query's concepts it spells.
 */
interface TermRarity {
  readonly concept: number;
  /** The term's inverse document frequency, as BM25 weighs it. */
  readonly idf: number;
}

/** The scores that chance gives in this index: the noise that a hit must stand out from. */
export interface Background {
  /** The number of chunks in the index. */
  readonly chunks: number;
  /**
   * The sum of the idf of the query's concepts, found or not. Pairs of characters that no chunk has
   * are left out.
   */
  readonly wanted: number;
  /** The share of `wanted` that belongs to overlapping parts, such as pairs of characters: 0..1. */
  readonly overlapping?: number;
  /** The idf of the rarest of the query's concepts that the index has. */
  readonly rarest?: number;
  /**
   * The cosines of texts in this index. `mean` is the mean of the query's cosines with the chunks.
   * `deviation` is the deviation of the cosines of questions with this index's texts under this
   * model, or the deviation of this question's cosines with most of the texts if that is larger.
   * `sensitivity` says how well the model tells apart which texts belong together in this index
   * (`sensitivityOf`). undefined: too few chunks have an embedding to tell.
   */
  readonly cosines: { readonly mean: number; readonly deviation: number; readonly sensitivity: number } | undefined;
}

/**
 * Returns the background against which facts are scored. Somebody stored a fact to have it found,
 * and few facts are as likely to hold an answer as many passages. If a text of either kind were
 * equally likely, a fact would have to stand out of all texts; if either kind were, only out of the
 * facts. It must stand out of a number between the two: their geometric mean.
 *
 * @param facts the number of facts in the index; undefined: not known
 */
export function factBackground(background: Background, facts: number | undefined): Background {
  if (facts === undefined || facts >= background.chunks) return background;
  return { ...background, chunks: Math.sqrt(Math.max(1, facts) * background.chunks) };
}

/** The scores of one chunk, as far as they are known. */
export interface Scored {
  readonly bm25?: number | undefined;
  /** The sum of the idf of the query's concepts that the chunk has (`matchedIdf`). */
  readonly matched?: number | undefined;
  /** The cosine similarity. */
  readonly similarity?: number | undefined;
}

export interface ArmWeights {
  vectorWeight: number;
  textWeight: number;
}

/** The contract's weights: with these weights an arm's evidence counts unchanged. */
export const USUAL_WEIGHTS: ArmWeights = { vectorWeight: 0.7, textWeight: 0.3 };

/**
 * Returns the evidence for a chunk as a multiple of chance: 1 is the evidence of the best chunk of
 * an index whose chunks are all random. It depends on the query, the chunk and the index as a
 * whole, never on other hits.
 *
 *   near = w_v / 0.7 · d′ / 1.4 · vectorEvidence,  said = w_t / 0.3 · textEvidence,
 *   evidence = (near^p + said^p)^(1 / p)
 *
 * d′ is how well this model tells texts of this index apart (`sensitivityOf`): a model that cannot
 * read the texts has no vote. Both arms partly measure the same thing, so together they count a
 * little less than their sum: the p-norm of Salton, Fox and Wu (1983) with p = 1.1.
 *
 * A new chunk has no embedding yet. Unknown is not zero: its vector evidence is taken to equal its
 * text evidence, but at most the evidence of the best random chunk.
 *
 * A chunk that has all words of the query, among them one that hardly any other chunk has, counts as
 * near as a chunk can be. A model tells codes and new names apart by their letters. Of 5,000 notes
 * that were the same but for a code, it found others nearer than the one that was asked for: that
 * note was not first for 31 of 200 questions.
 *
 * @param mode with `keyword` only the words count, with `vector` only the cosine
 */
export function evidenceOf(
  scored: Scored,
  mode: "hybrid" | "keyword" | "vector",
  weights: ArmWeights,
  background: Background,
): number {
  const standsOut = vectorEvidence(scored.similarity, background);
  // If only the vector arm searches, its order is kept, whatever the model's sensitivity.
  if (mode === "vector") return standsOut ?? 0;
  const text = textEvidence(scored, background);
  if (mode === "keyword") return text;
  const vote = (background.cosines?.sensitivity ?? USUAL_SENSITIVITY) / USUAL_SENSITIVITY;
  const near = vote * (hasUniqueWords(scored, background) ? MOST_VECTOR_EVIDENCE : (standsOut ?? Math.min(1, text)));
  const { vectorWeight, textWeight } = weights;
  const parts = [(vectorWeight / USUAL_WEIGHTS.vectorWeight) * near, (textWeight / USUAL_WEIGHTS.textWeight) * text];
  return parts.reduce((sum, part) => sum + part ** NORM, 0) ** (1 / NORM);
}

/**
 * The sensitivity at which a cosine's evidence counts unchanged; 1.25 to 1.6 rank alike
 * (bench/notes/fusion.md).
 */
const USUAL_SENSITIVITY = 1.4;
/**
 * The most vector evidence of a chunk. Where nearly all texts are the same, their cosines hardly
 * vary, and a slightly nearer text would seem extremely rare. A limit of 5 costs no data set
 * anything.
 */
const MOST_VECTOR_EVIDENCE = 5;
/**
 * The p of the p-norm. 1 would be the sum of both arms, a large value the better of both; 1 to 1.4
 * rank alike.
 */
const NORM = 1.1;

/**
 * Returns ((cos − mean) / (E · deviation))²: how far a cosine lies above the query's mean, compared
 * with the distance that the nearest of `chunks` random chunks would reach. The square expresses
 * the cosine's rarity on the scale of words (`evidenceOfRarity`): about one random chunk in e^(z² /
 * 2) lies z or more standard deviations above the mean, and E² / 2 is about ln N, so (z / E)² is
 * ln(1 / probability) / ln N. The mean is the query's own, because a short or odd query is near to
 * nothing. The deviation is at least the index's: a query that has nothing to do with the index has
 * a small deviation, which would make a hit of its best chunk.
 *
 * @returns undefined when the cosine or the background is not known
 */
export function vectorEvidence(similarity: number | undefined, { cosines, chunks }: Background): number | undefined {
  if (similarity === undefined || !cosines || cosines.deviation < 1e-6) return undefined;
  const standsOut = (similarity - cosines.mean) / (expectedMaximum(chunks) * cosines.deviation);
  return Math.min(MOST_VECTOR_EVIDENCE, Math.max(0, standsOut) ** 2);
}

/** The weight of text evidence; 1 to 4 rank alike on eleven data sets. */
const TEXT_SCALE = 2;
/**
 * The exponent p of coverage, the share of the question's words that a chunk has. A larger exponent
 * puts chunks with only some of the words further behind. With good vectors such a chunk is mostly
 * not the answer, because the vectors find an answer that says the rest in other words. Without
 * good vectors it often is the answer.
 */
const COVERAGE_POWER = { byWords: 0.4, withVectors: 0.6 };
/** The fewest chunks that are assumed: with fewer, rarity says little. */
const LEAST_CHUNKS = 8;

/**
 * Returns 2 · BM25 / ln N · (matched / wanted)^p. BM25 is a sum of idf, and chance alone puts words
 * whose idf sums to ln N into one of N chunks. A chunk that has most of the question's words comes
 * before a chunk that repeats a part of them (coordination level, as in Lucene's classic
 * similarity; here by idf and not by number of words). p is 0.4, and rises to 0.6 the better the
 * model tells texts apart.
 */
export function textEvidence(
  { bm25 = 0, matched = 0 }: Scored,
  { chunks, wanted, overlapping = 0, cosines }: Background,
): number {
  if (bm25 <= 0 || wanted <= 0) return 0;
  const { byWords, withVectors } = COVERAGE_POWER;
  const power = byWords + (withVectors - byWords) * Math.min(1, cosines?.sensitivity ?? 0);
  const coverage = Math.min(1, matched / wanted) ** power;
  // The second of two overlapping parts counts half: where one part is, the other mostly is too.
  const independent = 1 - overlapping / 2;
  return independent * coverage * evidenceOfRarity(bm25, chunks);
}

/** Returns 2 · idf / ln N: the evidence that words with this sum of idf give to a chunk. */
export function evidenceOfRarity(idf: number, chunks: number): number {
  return (TEXT_SCALE * idf) / Math.log(Math.max(LEAST_CHUNKS, chunks));
}

/**
 * Returns whether the chunk's words are so rare that chance alone would put them into fewer than
 * one chunk.
 */
export function isRareMatch({ matched = 0 }: Scored, { chunks }: Background): boolean {
  return evidenceOfRarity(matched, chunks) >= TEXT_SCALE;
}

/** The most chunks with a word that tells one document: overlapping chunks, or a fact of a message. */
const FEW_CHUNKS = 3;

/**
 * Returns whether a chunk has every word of the query, one of them in hardly any other chunk, and
 * all of them together as rare as a word of a single chunk.
 */
function hasUniqueWords(scored: Scored, background: Background): boolean {
  const { chunks, rarest = 0 } = background;
  if (!hasAllWanted(scored, background) || rarest < idf(FEW_CHUNKS, chunks)) return false;
  return (scored.matched ?? 0) >= idf(1, chunks);
}

/** Returns whether a chunk has every word of the query. */
export function hasAllWanted({ matched = 0 }: Scored, { wanted }: Background): boolean {
  return wanted > 0 && matched >= 0.999 * wanted;
}

/**
 * The evidence at which one hit in two is an answer; measured on questions with and without an
 * answer (bench/notes/conversations.md, "Realistic weeks").
 */
const EVEN_EVIDENCE = 2.8;

/** Returns evidence as a score in 0..1: a half means "as likely an answer as not". */
export function scoreOf(evidence: number): number {
  return evidence ** 2 / (evidence ** 2 + EVEN_EVIDENCE ** 2);
}

/**
 * Returns the evidence that the nearest of `times` · `chunks` random chunks has by its cosine
 * alone, with a model that tells texts apart as it tells short notes apart (d′ = 1). In a small
 * index the best chunk by chance varies most.
 */
export function evidenceByChance({ chunks }: Background, times: number): number {
  return (expectedMaximum(times * chunks) / expectedMaximum(chunks)) ** 2 / USUAL_SENSITIVITY;
}

/**
 * Returns the expected largest of n independent standard normal values, to the second order in 1 /
 * ln n (Cramér 1946, §28.6).
 */
function expectedMaximum(n: number): number {
  const leading = Math.sqrt(2 * Math.log(Math.max(3, n)));
  return leading - (Math.log(Math.log(Math.max(3, n))) + Math.log(4 * Math.PI)) / (2 * leading);
}

/**
 * Returns the sum of the idf of the concepts that a chunk has. Each concept counts once, by its
 * rarest spelling in the chunk.
 */
export function matchedIdf(terms: readonly TermRarity[], found: readonly boolean[]): number {
  const best = new Map<number, number>();
  for (const [index, { concept, idf }] of terms.entries())
    if (found[index]) best.set(concept, Math.max(best.get(concept) ?? 0, idf));
  return [...best.values()].reduce((sum, idf) => sum + idf, 0);
}
