import type { AgentClient, EvalQuestion } from "recollect/client";
import { download } from "../../lib/download.ts";
import { evalSetOf } from "../../lib/eval-set.ts";
import { texts } from "../../texts/texts.ts";

/**
 * The limits of a data set, which is made in the browser's memory. The command `recollect eval`
 * takes documents of at most 2,000,000 characters.
 */
const [MOST_DOCUMENTS, MOST_BYTES] = [2000, 2_000_000];

/** Saves the questions and all files as a data set that `recollect eval` reads. */
export async function exportForCli(memory: AgentClient, questions: readonly EvalQuestion[]): Promise<void> {
  const documents = new Map<string, string>();
  for await (const { path, size } of memory.files.all()) {
    if (documents.size >= MOST_DOCUMENTS) throw new Error(texts.search.evalTooLarge);
    if (size <= MOST_BYTES) documents.set(path, (await memory.files.get(path)).content);
  }
  const saved = questions.flatMap(({ text, expected }) =>
    expected.map(({ path }) => ({ question: text, path, savedAt: "" })),
  );
  for (const [name, text] of Object.entries(evalSetOf(saved, documents))) download(name, text);
}
