/** The measures of one ranking, each 0..1, with their names. Every table has them in this order. */
export const MEASURES = {
  ndcg10: "nDCG@10",
  recall1: "recall@1",
  recall5: "recall@5",
  recall10: "recall@10",
  recall100: "recall@100",
  mrr10: "MRR@10",
} as const;

export type MeasureName = keyof typeof MEASURES;
export type Measures = Record<MeasureName, number>;
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

/**
 * The relevance of documents to one query, by document id; above 0 is relevant, and more is better.
 */
export type Judgements = ReadonlyMap<string, number>;

/**
 * Returns all measures of one ranking. The ranking has distinct document ids, best first. At least
 * one judgement must be above 0.
 */
export function measure(ranking: readonly string[], judgements: Judgements): Measures {
  return {
    ndcg10: ndcg(ranking, judgements, 10),
    recall1: recall(ranking, judgements, 1),
    recall5: recall(ranking, judgements, 5),
    recall10: recall(ranking, judgements, 10),
    recall100: recall(ranking, judgements, 100),
    mrr10: reciprocalRank(ranking, judgements, 10),
  };
}

/**
 * Returns nDCG@k = DCG / ideal DCG with DCG = Σ gain_i / log2(i + 1), i from 1 to k, gain = the
 * judgement itself (negative: 0).
 *
 * The gain is linear, as in trec_eval's `ndcg_cut` (m_ndcg_cut.c, "Gain values are the relevance
 * values in the qrels file"), and therefore in pytrec_eval and in BEIR's figures; Järvelin and
 * Kekäläinen, ACM TOIS 20(4), 2002. It is not the 2^rel − 1 of Burges et al.: with judgements of 0
 * and 1 both are the same. The ideal is the best order of all judged documents, found or not.
 */
export function ndcg(ranking: readonly string[], judgements: Judgements, k: number): number {
  const gains = ranking.map((id) => gainOf(judgements, id));
  const ideal = [...judgements.values()].map((gain) => Math.max(0, gain)).sort((a, b) => b - a);
  const best = dcg(ideal, k);
  return best === 0 ? 0 : dcg(gains, k) / best;
}

function dcg(gains: readonly number[], k: number): number {
  return gains.slice(0, k).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}

/**
 * Returns the share of all relevant documents that are among the first k: trec_eval's `recall.k`.
 * With more than k relevant documents it stays below 1.
 */
export function recall(ranking: readonly string[], judgements: Judgements, k: number): number {
  const relevant = [...judgements.values()].filter((gain) => gain > 0).length;
  const found = ranking.slice(0, k).filter((id) => gainOf(judgements, id) > 0).length;
  return relevant === 0 ? 0 : found / relevant;
}

/**
 * Returns 1 / the rank of the first relevant document, 0 when none is among the first k: MRR@k, as
 * MS MARCO and BEIR cut it.
 */
export function reciprocalRank(ranking: readonly string[], judgements: Judgements, k: number): number {
  const index = ranking.slice(0, k).findIndex((id) => gainOf(judgements, id) > 0);
  return index === -1 ? 0 : 1 / (index + 1);
}

function gainOf(judgements: Judgements, id: string): number {
  return Math.max(0, judgements.get(id) ?? 0);
}
