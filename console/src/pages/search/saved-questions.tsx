import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { SearchOptions } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { download } from "../../lib/download.ts";
import { type EvalRun, savedRuns, saveRun } from "../../lib/eval-runs.ts";
import { evalSetOf } from "../../lib/eval-set.ts";
import { type SavedQuestion, savedQuestions, saveQuestions } from "../../lib/saved-questions.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Scroll } from "../../ui/scroll.tsx";
import { EvalRuns } from "./eval-runs.tsx";

const DEPTH = 10;
/**
 * The limits of a data set, which is made in the browser's memory. The command `recollect eval`
 * takes documents of at most 2,000,000 characters.
 */
const MOST_DOCUMENTS = 2000;
const MOST_DOCUMENT_BYTES = 2_000_000;

/**
 * Runs saved questions with known answers again after a change, and compares the runs.
 *
 * @param options the options of the searches
 */
export function SavedQuestions({ agent, options }: { agent: string; options: SearchOptions }) {
  const memory = useAgent(agent);
  const [questions, setQuestions] = useState(() => savedQuestions(agent));
  const [runs, setRuns] = useState<readonly EvalRun[]>(() => savedRuns(agent));
  const [compared, setCompared] = useState(1);
  useEffect(() => {
    const read = () => setQuestions(savedQuestions(agent));
    read();
    setRuns(savedRuns(agent));
    addEventListener("recollect-questions", read);
    return () => removeEventListener("recollect-questions", read);
  }, [agent]);
  const run = useMutation({
    mutationFn: async () => {
      const ranks: EvalRun["ranks"] = {};
      // The searches run one after the other, so that an evaluation does not delay the searches of
      // others.
      for (const { question, path } of questions) {
        const { results } = await memory.search(question, { ...options, maxResults: DEPTH });
        const at = results.findIndex((hit) => hit.path === path);
        ranks[question] = at < 0 ? null : at + 1;
      }
      setRuns(saveRun(agent, { at: new Date().toISOString(), with: sentences.searchedWith(options), ranks }));
      setCompared(1);
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
  };
  return (
    <details className="card">
      <summary>{sentences.savedQuestions(questions.length)}</summary>
      <p className="quiet">{questions.length === 0 ? texts.search.noSaved : texts.search.saved}</p>
      {questions.length > 0 && (
        <>
          <div className="row">
            <button type="button" onClick={() => run.mutate()} disabled={run.isPending}>
              {run.isPending ? texts.evaluation.running : texts.evaluation.run}
            </button>
            <button type="button" onClick={() => save.mutate()} disabled={save.isPending}>
              {save.isPending ? texts.evaluation.saving : texts.evaluation.save}
            </button>
          </div>
          {save.error && <ErrorBox error={save.error} />}
          {save.isSuccess && <p role="status">{texts.search.evalSaved}</p>}
          {run.error && <ErrorBox error={run.error} />}
          <Questions questions={questions} now={runs[0]} then={runs[compared]} onRemove={remove} />
          {runs.length > 0 && <EvalRuns runs={runs} compared={compared} onCompare={setCompared} />}
        </>
      )}
    </details>
  );
}

interface QuestionsProps {
  questions: readonly SavedQuestion[];
  now: EvalRun | undefined;
  then: EvalRun | undefined;
  onRemove: (question: SavedQuestion) => void;
}

/** Lists the questions with their answers, and the ranks at which two runs found them. */
function Questions({ questions, now, then, onRemove }: QuestionsProps) {
  const placeIn = (run: EvalRun | undefined, question: string) => {
    const rank = run?.ranks[question];
    return rank === null ? texts.evaluation.notInTen : rank;
  };
  return (
    <Scroll label={texts.evaluation.tableOfQuestions}>
      <table className="narrow">
        <thead>
          <tr>
            <th>{texts.labels.question}</th>
            <th>{texts.labels.rightAnswer}</th>
            <th>{texts.labels.foundAt}</th>
            {then && <th>{texts.evaluation.before}</th>}
            <th>
              <span className="hidden">{texts.labels.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {questions.map((one) => (
            <tr key={one.question}>
              <td>{one.question}</td>
              <td>{one.path}</td>
              <td>{placeIn(now, one.question)}</td>
              {then && <td>{placeIn(then, one.question)}</td>}
              <td>
                <button type="button" onClick={() => onRemove(one)} aria-label={sentences.remove(one.question)}>
                  {texts.labels.remove}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
