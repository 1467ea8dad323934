import { readCorpus } from "./read-corpus.ts";
import type { DatasetFiles, EvalQuery } from "./read-dataset.ts";
import type { MeasuredRun } from "./summarise.ts";

/** A query with the documents that it should have found and the document that came first. */
export interface WorstQuery {
  id: string;
  text: string;
  ndcg10: number;
  expected: { id: string; score: number; rank?: number; text: string }[];
  first?: { id: string; text: string };
}

const MOST_QUERIES = 20;
const MOST_EXPECTED = 3;
const EXCERPT_CHARS = 240;

/**
 * Returns the queries with the lowest nDCG@10 of a run. It reads the documents' texts from the
 * corpus once more.
 */
export async function worstQueries(
  run: MeasuredRun,
  queries: readonly EvalQuery[],
  { corpus, hasCorpus }: DatasetFiles,
): Promise<WorstQuery[]> {
  const chosen = run.queries
    .map((result, index) => ({ ...result, query: queries[index] }))
    .sort((a, b) => a.measures.ndcg10 - b.measures.ndcg10 || a.measures.recall100 - b.measures.recall100)
    .slice(0, MOST_QUERIES)
    .flatMap(({ query, ...result }) => (query ? [{ ...result, query }] : []));
  const expectedOf = (query: EvalQuery) =>
    [...query.judgements]
      .filter(([, score]) => score > 0)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MOST_EXPECTED);
  const wanted = chosen.flatMap(({ query, ranking }) => [...expectedOf(query).map(([id]) => id), ranking[0] ?? ""]);
  const texts = hasCorpus ? await excerpts(corpus, new Set(wanted)) : new Map<string, string>();
  return chosen.map(({ query, ranking, measures }) => {
    const [first] = ranking;
    return {
      id: query.id,
      text: query.text,
      ndcg10: measures.ndcg10,
      expected: expectedOf(query).map(([id, score]) => {
        const rank = ranking.indexOf(id) + 1;
        return { id, score, text: texts.get(id) ?? "", ...(rank > 0 && { rank }) };
      }),
      ...(first === undefined ? {} : { first: { id: first, text: texts.get(first) ?? "" } }),
    };
  });
}

async function excerpts(corpus: string, ids: ReadonlySet<string>): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { id, content } of readCorpus(corpus, () => undefined))
    if (ids.has(id)) texts.set(id, excerpt(content));
  return texts;
}

function excerpt(content: string): string {
  const line = content
    .slice(0, EXCERPT_CHARS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > EXCERPT_CHARS ? `${line.slice(0, EXCERPT_CHARS)}…` : line;
}
