import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { download } from "../../lib/download.ts";
import { evalSetOf } from "../../lib/eval-set.ts";
import { percent } from "../../lib/format.ts";
import { type SavedQuestion, savedQuestions, saveQuestions } from "../../lib/saved-questions.ts";
import { sentences } from "../../lib/sentences.ts";
import { texts } from "../../lib/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";

const DEPTH = 10;
/** A set is made in the browser's memory; `recollect eval` takes documents of at most 2,000,000 characters. */
const MOST_DOCUMENTS = 2000;
const MOST_DOCUMENT_BYTES = 2_000_000;

/** Questions with their right answer, run again whenever something was changed. */
export function SavedQuestions({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const [questions, setQuestions] = useState(() => savedQuestions(agent));
  useEffect(() => {
    const read = () => setQuestions(savedQuestions(agent));
    read();
    addEventListener("recollect-questions", read);
    return () => removeEventListener("recollect-questions", read);
  }, [agent]);
  const run = useMutation({
    mutationFn: async () => {
      const ranks: (number | undefined)[] = [];
      // One after the other: an evaluation must not take the searches of others their turn.
      for (const { question, path } of questions) {
        const { results } = await memory.search(question, { maxResults: DEPTH });
        const at = results.findIndex((hit) => hit.path === path);
        ranks.push(at < 0 ? undefined : at + 1);
      }
      return ranks;
    },
  });
  const save = useMutation({
    mutationFn: async () => {
      const documents = new Map<string, string>();
      for await (const { path, size } of memory.files.all()) {
        if (documents.size >= MOST_DOCUMENTS) throw new Error(texts.search.evalTooLarge);
        if (size <= MOST_DOCUMENT_BYTES) documents.set(path, (await memory.files.get(path)).content);
      }
      for (const [name, text] of Object.entries(evalSetOf(questions, documents))) download(name, text);
    },
  });
  const remove = (one: SavedQuestion) => {
    const rest = questions.filter(({ question }) => question !== one.question);
    saveQuestions(agent, rest);
    setQuestions(rest);
    run.reset();
  };
  return (
    <details className="card">
      <summary>{sentences.savedQuestions(questions.length)}</summary>
      <p className="quiet">{questions.length === 0 ? texts.search.noSaved : texts.search.saved}</p>
      {questions.length > 0 && (
        <>
          <button type="button" onClick={() => run.mutate()} disabled={run.isPending}>
            {run.isPending ? "Running…" : "Run them all"}
          </button>
          <button type="button" onClick={() => save.mutate()} disabled={save.isPending}>
            {save.isPending ? "Reading the files…" : "Save for recollect eval"}
          </button>
          {save.error && <ErrorBox error={save.error} />}
          {save.isSuccess && <p role="status">{texts.search.evalSaved}</p>}
          {run.error && <ErrorBox error={run.error} />}
          {run.data && <Figures ranks={run.data} />}
          <table>
            <thead>
              <tr>
                <th>{texts.labels.question}</th>
                <th>{texts.labels.rightAnswer}</th>
                <th>{texts.labels.foundAt}</th>
                <th>
                  <span className="hidden">{texts.labels.remove}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {questions.map((one, at) => (
                <tr key={one.question}>
                  <td>{one.question}</td>
                  <td>{one.path}</td>
                  <td>{run.data ? (run.data[at] ?? "not in ten") : ""}</td>
                  <td>
                    <button type="button" onClick={() => remove(one)} aria-label={`Remove “${one.question}”`}>
                      {texts.labels.remove}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </details>
  );
}

/** Recall and mean reciprocal rank: the share of questions whose answer is among the first, and how early it comes. */
function Figures({ ranks }: { ranks: readonly (number | undefined)[] }) {
  const within = (depth: number) => ranks.filter((rank) => rank !== undefined && rank <= depth).length / ranks.length;
  const reciprocal = ranks.reduce<number>((sum, rank) => sum + (rank === undefined ? 0 : 1 / rank), 0) / ranks.length;
  return (
    <p role="status">
      {sentences.figures(percent(within(1)), percent(within(3)), percent(within(10)), reciprocal.toFixed(2))}
    </p>
  );
}
