import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EvalQuestion, SearchOptions } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { type EvalRun, type Figures, figuresOf, savedRuns, saveRun } from "../../lib/eval-runs.ts";
import { texts } from "../../texts/texts.ts";
import { hasSet, SET } from "./use-questions.ts";

/** A run as it is listed: made by the service, or in this browser with other search options. */
export interface ShownRun {
  id: string;
  at: string;
  label: string;
  state: "waiting" | "done" | "failed";
  done: number;
  questions: number;
  figures: Figures | undefined;
  /** The ranks of a run of this browser. The ranks of a run of the service are read when the run is shown. */
  ranks: EvalRun["ranks"] | undefined;
}

const [EVERY_MS, DEPTH] = [1500, 10];

/** Returns the runs of an agent's questions, newest first, and functions that start one. */
export function useRuns(agent: string, questions: readonly EvalQuestion[], shared: boolean) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const [local, setLocal] = useState(() => savedRuns(agent));
  const stored = useQuery({
    queryKey: ["evaluations", agent, "runs"],
    queryFn: async () => ((await hasSet(memory)) ? (await memory.evaluations.runs(SET)).runs : []),
    enabled: shared,
    refetchInterval: ({ state }) => (state.data?.some((run) => run.state === "waiting") ? EVERY_MS : false),
  });
  const start = useMutation({
    mutationFn: () => memory.evaluations.start(SET),
    onSettled: () => queries.invalidateQueries({ queryKey: ["evaluations", agent, "runs"] }),
  });
  const here = useMutation({
    mutationFn: async (options: SearchOptions) => {
      const ranks: EvalRun["ranks"] = {};
      // The searches run one after the other, so that an evaluation does not delay the searches of others.
      for (const { text, expected } of questions) {
        const { results } = await memory.search(text, { ...options, maxResults: DEPTH });
        const at = results.findIndex((hit) => expected.some(({ path }) => path === hit.path));
        ranks[text] = at < 0 ? null : at + 1;
      }
      setLocal(saveRun(agent, { at: new Date().toISOString(), with: texts.sentences.searchedWith(options), ranks }));
    },
  });
  const runs: ShownRun[] = [
    ...(stored.data ?? []).map(({ id, createdAt, label, state, done, questions: all, summary }) => ({
      id,
      at: createdAt,
      label: label || texts.evaluation.onService,
      state,
      done,
      questions: all,
      figures: summary
        ? {
            first: summary.measures.recall1.mean,
            five: summary.measures.recall5.mean,
            ten: summary.measures.recall10.mean,
            reciprocal: summary.measures.mrr10.mean,
          }
        : undefined,
      ranks: undefined,
    })),
    ...local.map(({ at, with: label, ranks }) => ({
      id: `here ${at}`,
      at,
      label: texts.evaluation.inBrowser(label),
      state: "done" as const,
      done: Object.keys(ranks).length,
      questions: Object.keys(ranks).length,
      figures: figuresOf(ranks),
      ranks,
    })),
  ].sort((a, b) => b.at.localeCompare(a.at));
  return { runs, start, here, error: stored.error ?? start.error ?? here.error };
}

/** Returns the rank of each question in a run, by the question's text. */
export function useRanks(agent: string, run: ShownRun | undefined): EvalRun["ranks"] | undefined {
  const memory = useAgent(agent);
  const found = useQuery({
    queryKey: ["evaluations", agent, "run", run?.id],
    queryFn: async () => {
      const { results } = await memory.evaluations.run(SET, run?.id ?? "");
      return Object.fromEntries(results.map(({ text, rank }) => [text, rank]));
    },
    enabled: run !== undefined && run.ranks === undefined && run.state === "done",
    staleTime: Number.POSITIVE_INFINITY,
  });
  return run?.ranks ?? found.data;
}
