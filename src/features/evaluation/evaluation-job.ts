import { nextTurn } from "../../base/cooperative-yield.ts";
import { AppError } from "../../base/errors.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration } from "../../db/agent/schema/generations.ts";
import { type Job, jobOfAgent } from "../../jobs/job.ts";
import { type AgentPayload, type JobContract, OF_AGENT } from "../../queue/job-contracts.ts";
import { MEASURE_NAMES, type MeasureName, measure } from "../../relevance/measures/measures.ts";
import { bootstrap, type Interval, quantile } from "../../relevance/measures/statistics.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { searchMemory } from "../../service/search/search-memory.ts";
import type { Question, QuestionResult, RunSummary } from "./question.ts";
import { addResults, endRun, nextRun, type WholeRun } from "./sql/evaluations.ts";

/** Asks the questions of an agent's waiting runs. */
export const EVALUATION_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "evaluate",
};

/** The questions that are asked before their results are stored; a job that is interrupted goes on after them. */
const BATCH = 10;
const MAX_RESULTS = 100;
const SHOWN = 10;

export const evaluationJob: Job = jobOfAgent(EVALUATION_JOB, 1, (deps, { caller, job, signal }) =>
  runWaiting(deps, caller, job.agentId, signal),
);

/** Runs an agent's waiting evaluations, one after the other. */
export async function runWaiting(deps: Deps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  for (;;) {
    const run = await withAgentReads(deps.db, agent, (tx) => nextRun(tx, agent.schema));
    if (!run) return;
    // The queue gives an interrupted job to another process.
    if (signal.aborted) throw new AppError("service_unreachable", "The process is stopping.");
    await goOn(deps, caller, agent, run, signal);
  }
}

async function goOn(deps: Deps, caller: Caller, agent: KnownAgent, run: WholeRun, signal: AbortSignal): Promise<void> {
  const results = [...run.results];
  while (results.length < run.asked.length && !signal.aborted) {
    const batch: QuestionResult[] = [];
    for (const question of run.asked.slice(results.length, results.length + BATCH)) {
      const result = await ask(deps, caller, agent.agentId, question);
      if (typeof result === "string") return end(deps, agent, run, null, result);
      batch.push(result);
    }
    const more = { known: results.length, results: batch };
    // A job that runs for an hour counts as lost, and the queue starts another one beside it.
    if (!(await withAgentTransaction(deps.db, agent, (tx) => addResults(tx, agent.schema, run.id, more)))) return;
    results.push(...batch);
  }
  if (results.length < run.asked.length) return;
  const generation = await withAgentReads(deps.db, agent, (tx) => activeGeneration(tx, agent.schema));
  await end(deps, agent, run, await summarise(results, generation?.model ?? "", agent.tenantId), null);
}

async function end(
  deps: Deps,
  agent: KnownAgent,
  run: WholeRun,
  summary: RunSummary | null,
  error: string | null,
): Promise<void> {
  await withAgentTransaction(deps.db, agent, (tx) =>
    endRun(tx, agent.schema, run.id, { summary, error, now: deps.clock() }),
  );
}

/** Asks one question. @returns a sentence when the memory cannot be searched */
async function ask(
  deps: Deps,
  caller: Caller,
  agentId: string,
  { id, text, expected, scope }: Question,
): Promise<QuestionResult | string> {
  const begun = performance.now();
  const answer = await searchMemory(deps, caller, agentId, {
    query: text,
    maxResults: MAX_RESULTS,
    minScore: 0,
    scope,
  });
  const ms = Math.round(performance.now() - begun);
  if (!("mode" in answer)) return answer.warning;
  const ranking = [...new Set(answer.results.map(({ path }) => path))];
  const judgements = new Map(expected.map(({ path, grade }) => [path, grade]));
  const rank = ranking.findIndex((path) => judgements.has(path)) + 1;
  return {
    id,
    measures: measure(ranking, judgements),
    rank: rank === 0 ? null : rank,
    found: ranking.slice(0, SHOWN),
    ms,
    mode: answer.mode,
    warning: answer.warning,
  };
}

async function summarise(results: readonly QuestionResult[], model: string, owner: string): Promise<RunSummary> {
  const measures: Partial<Record<MeasureName, Interval>> = {};
  for (const name of MEASURE_NAMES) {
    measures[name] = bootstrap(results.map((result) => result.measures[name]));
    await nextTurn(owner);
  }
  const times = results.map(({ ms }) => ms);
  return {
    measures: measures as Record<MeasureName, Interval>,
    missed: results.filter(({ rank }) => rank === null || rank > 10).length,
    p50Ms: Math.round(quantile(times, 0.5)),
    p95Ms: Math.round(quantile(times, 0.95)),
    model,
  };
}
