import { readFileSync } from "node:fs";

/**
 * The relation of a question to the passage that answers it. A paraphrase shares (nearly) none of
 * its words.
 */
export const QUESTION_KINDS = ["natural", "keyword", "mixed", "inflected", "paraphrase"] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface LanguageSet {
  passages: { id: string; title?: string; text: string }[];
  /** `judged` holds the grades, 2 or 1, of the passages that answer. */
  questions: { id: string; kind: QuestionKind; text: string; judged: ReadonlyMap<string, number> }[];
}

export interface Quality {
  ndcg10: number;
  recall5: number;
  recall10: number;
}

/** Reads `test/data/languages/<language>`: 200 passages, and questions with their grades. */
export function readLanguageSet(language: string): LanguageSet {
  const read = (name: string) =>
    readFileSync(new URL(`../data/languages/${language}/${name}`, import.meta.url), "utf8")
      .trim()
      .split("\n");
  const judgements = Map.groupBy(
    read("qrels.tsv")
      .slice(1)
      .map((line) => line.split("\t")),
    ([question]) => question ?? "",
  );
  return {
    passages: read("corpus.jsonl").map((line) => JSON.parse(line)),
    questions: read("queries.jsonl").map((line) => {
      const question = JSON.parse(line);
      const lines = judgements.get(question.id) ?? [];
      return { ...question, judged: new Map(lines.map(([, passage, grade]) => [passage ?? "", Number(grade)])) };
    }),
  };
}

/** Measures the answer to one question. `found` are the ids of passages, best first. */
export function qualityOf(found: readonly string[], judged: ReadonlyMap<string, number>): Quality {
  const discounted = (gains: readonly number[]) =>
    gains.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
  const ideal = [...judged.values()].sort((a, b) => b - a);
  const recall = (k: number) => found.slice(0, k).filter((id) => judged.has(id)).length / judged.size;
  return {
    ndcg10: discounted(found.map((id) => judged.get(id) ?? 0)) / discounted(ideal),
    recall5: recall(5),
    recall10: recall(10),
  };
}

export function meanQuality(qualities: readonly Quality[]): Quality {
  const mean = (key: keyof Quality) =>
    qualities.reduce((sum, quality) => sum + quality[key], 0) / Math.max(1, qualities.length);
  return { ndcg10: mean("ndcg10"), recall5: mean("recall5"), recall10: mean("recall10") };
}
