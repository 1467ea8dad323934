import type { SavedQuestion } from "./saved-questions.ts";

/** The files of a data set, by name, in the format that `recollect eval` reads. */
export type EvalSet = Record<"corpus.jsonl" | "queries.jsonl" | "qrels.tsv", string>;

/**
 * Makes a data set from saved questions.
 *
 * @param documents the texts to search for the answers, by path
 */
export function evalSetOf(questions: readonly SavedQuestion[], documents: ReadonlyMap<string, string>): EvalSet {
  const answered = questions.filter(({ path }) => documents.has(path));
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  // The data set's table separates document ids by tabs. A path can be an id, because paths contain
  // no control characters.
  return {
    "corpus.jsonl": lines([...documents].map(([id, text]) => ({ id, text }))),
    "queries.jsonl": lines(answered.map(({ question }, at) => ({ id: `q${at + 1}`, text: question }))),
    "qrels.tsv": `query-id\tcorpus-id\tscore\n${answered.map(({ path }, at) => `q${at + 1}\t${path}\t1\n`).join("")}`,
  };
}
