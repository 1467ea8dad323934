import type { SavedQuestion } from "./saved-questions.ts";

/** The files of a data set, by name, as `recollect eval` reads them. */
export type EvalSet = Record<"corpus.jsonl" | "queries.jsonl" | "qrels.tsv", string>;

/**
 * Makes a data set of saved questions.
 *
 * @param documents the texts among which the questions are asked, by path
 */
export function evalSetOf(questions: readonly SavedQuestion[], documents: ReadonlyMap<string, string>): EvalSet {
  const answered = questions.filter(({ path }) => documents.has(path));
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  // Ids of documents stand in a table with tabs between: a path has no control character.
  return {
    "corpus.jsonl": lines([...documents].map(([id, text]) => ({ id, text }))),
    "queries.jsonl": lines(answered.map(({ question }, at) => ({ id: `q${at + 1}`, text: question }))),
    "qrels.tsv": `query-id\tcorpus-id\tscore\n${answered.map(({ path }, at) => `q${at + 1}\t${path}\t1\n`).join("")}`,
  };
}
