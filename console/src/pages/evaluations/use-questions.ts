import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AgentClient, type EvalQuestion, RecollectError } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { type SavedQuestion, savedQuestions, saveQuestions } from "../../lib/saved-questions.ts";

/** The set of questions that the console keeps on the service for an agent. */
export const SET = "saved";

/**
 * Returns whether the service keeps the set. The list is asked, because browsers print a missing set as an
 * error. A service without the feature has no list.
 */
export async function hasSet(memory: AgentClient): Promise<boolean> {
  try {
    const { sets } = await memory.evaluations.sets();
    return sets.some(({ name }) => name === SET);
  } catch (error) {
    if (error instanceof RecollectError && error.status === 404) return false;
    throw error;
  }
}

/** Reads the questions of the service's set; a set that is missing has none. */
async function readSet(memory: AgentClient): Promise<EvalQuestion[]> {
  return (await hasSet(memory)) ? (await memory.evaluations.set(SET)).items : [];
}

/**
 * Returns an agent's questions with known answers, and functions that add and remove them. A key that
 * may not write keeps its questions in this browser.
 */
export function useQuestions(agent: string) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const queries = useQueryClient();
  const shared = mayDo(key, "agent:read") && mayDo(key, "agent:write");
  const [local, setLocal] = useState(() => savedQuestions(agent));
  const queryKey = ["evaluations", agent, "set"];
  const stored = useQuery({ queryKey, queryFn: () => readSet(memory), enabled: shared });
  const keepHere = (questions: readonly SavedQuestion[]) => {
    saveQuestions(agent, questions);
    setLocal([...questions]);
  };
  const write = useMutation({
    // The set is read again first, because somebody else may have added a question.
    mutationFn: async (change: (items: readonly EvalQuestion[]) => EvalQuestion[]) => {
      const items = change(await readSet(memory));
      if (items.length === 0) await memory.evaluations.delete(SET);
      else await memory.evaluations.put(SET, { items });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["evaluations", agent] }),
  });
  const here = local.map(
    ({ question, path }): EvalQuestion => ({ id: question, text: question, expected: [{ path }] }),
  );
  const add = (text: string, path: string) => {
    if (shared)
      return write.mutateAsync((items) => [...items.filter((one) => one.text !== text), questionOf(text, path)]);
    keepHere([
      ...local.filter(({ question }) => question !== text),
      { question: text, path, savedAt: new Date().toISOString() },
    ]);
    return Promise.resolve();
  };
  const remove = (id: string) => {
    if (shared) write.mutate((items) => items.filter((one) => one.id !== id));
    else keepHere(local.filter(({ question }) => question !== id));
  };
  /** Moves the questions of this browser to the service. */
  const share = async () => {
    await write.mutateAsync((items) => [
      ...items,
      ...here
        .filter(({ text }) => !items.some((one) => one.text === text))
        .map(({ text, expected }) => questionOf(text, expected[0]?.path ?? "")),
    ]);
    keepHere([]);
  };
  return {
    questions: shared ? (stored.data ?? []) : here,
    /** The questions that only this browser has, although the key may share them. */
    unshared: shared ? here.length : 0,
    shared,
    isPending: shared && stored.isPending,
    error: stored.error ?? write.error,
    add,
    remove,
    share,
  };
}

function questionOf(text: string, path: string): EvalQuestion {
  return { id: crypto.randomUUID(), text, expected: [{ path }] };
}
