import { nextTurn } from "../../base/cooperative-yield.ts";
import { AppError } from "../../base/errors.ts";
import {
  type AgentTransaction,
  withAgentReads,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { MEASURE_NAMES, type MeasureName } from "../../relevance/measures/measures.ts";
import { comparePaired, isTie, type PairedDifference } from "../../relevance/measures/statistics.ts";
import { findOrCreateAgent } from "../../service/agent/create-agent.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { findReplay, recordAnswer } from "../../service/core/idempotency.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { signatureOf } from "../../settings/access.ts";
import { EVALUATION_JOB } from "./evaluation-job.ts";
import type { Question } from "./question.ts";
import {
  countWaiting,
  deleteRun,
  deleteSet,
  insertRun,
  listRuns,
  listSets,
  putSet,
  type RunRow,
  readRun,
  readSet,
  type SetRow,
  type WholeRun,
} from "./sql/evaluations.ts";

/** The most sets of an agent, and the most runs that are kept of a set, the newest ones. */
const MAX_SETS = 50;
const MAX_RUNS = 50;
/** The most runs of an agent that wait. Each makes up to 300 searches that count against no rate limit. */
const MAX_WAITING = 10;

/** Returns an agent's sets of questions by name. @throws AppError as `findKnownAgent` */
export async function listEvalSets(deps: Deps, caller: Caller, agentId: string) {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  const rows = agent ? await withAgentReads(deps.db, agent, (tx) => listSets(tx, agent.schema)) : [];
  return { sets: rows.map(presentSet) };
}

/** Returns a set with its questions. @throws AppError `eval_not_found` */
export async function getEvalSet(deps: Deps, caller: Caller, agentId: string, name: string) {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  const set = agent && (await withAgentReads(deps.db, agent, (tx) => readSet(tx, agent.schema, name)));
  if (!set) throw setNotFound();
  return { ...presentSet(set), items: set.items };
}

/**
 * Stores a set of questions. A set that already has the name is replaced, and its runs stay.
 *
 * @throws AppError `invalid_request` for questions with the same id, or too many sets
 */
export async function putEvalSet(
  deps: Deps,
  caller: Caller,
  agentId: string,
  name: string,
  { description, items }: { description: string; items: readonly Question[] },
) {
  if (new Set(items.map(({ id }) => id)).size < items.length)
    throw new AppError("invalid_request", "Two questions have the same id.");
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const stamp = { now: deps.clock(), by: signatureOf(caller) };
  return writeOnce(deps, caller, agent, async (tx) => {
    const sets = await putSet(tx, agent.schema, { name, description, questions: items }, stamp);
    if (sets > MAX_SETS)
      throw new AppError("invalid_request", `An agent has at most ${MAX_SETS} sets of questions; delete one first.`);
    const set = await readSet(tx, agent.schema, name);
    if (!set) throw setNotFound();
    return presentSet(set);
  });
}

/** Deletes a set with its runs. @throws AppError `eval_not_found` */
export async function removeEvalSet(deps: Deps, caller: Caller, agentId: string, name: string) {
  const agent = await requireAgent(deps, caller, "agent:write", agentId);
  return writeOnce(deps, caller, agent, async (tx) => {
    if (!(await deleteSet(tx, agent.schema, name))) throw setNotFound();
    return { deleted: name };
  });
}

/**
 * Requests a run of a set, which a job makes.
 *
 * @throws AppError `eval_not_found`; `invalid_request` when many runs wait
 */
export async function startRun(deps: Deps, caller: Caller, agentId: string, name: string, label: string) {
  const agent = await requireAgent(deps, caller, "agent:write", agentId);
  const write = async (tx: AgentTransaction) => {
    const set = await readSet(tx, agent.schema, name);
    if (!set) throw setNotFound();
    const stamp = { now: deps.clock(), by: signatureOf(caller), most: MAX_RUNS };
    return presentRun(await insertRun(tx, agent.schema, { set: name, label, questions: set.items }, stamp));
  };
  const earlier = await findReplay<ReturnType<typeof presentRun>>(deps, caller);
  if (earlier) return earlier;
  const job = { tenantId: agent.tenantId, agentId };
  if ((await withAgentReads(deps.db, agent, (tx) => countWaiting(tx, agent.schema))) >= MAX_WAITING) {
    // Runs that a branch has copied have no job, and a job may have failed for good.
    await deps.queue.send(deps.db, EVALUATION_JOB, job, "unless one waits");
    throw new AppError(
      "invalid_request",
      `${MAX_WAITING} runs of the agent wait already; wait until one has ended, or delete one.`,
    );
  }
  return writeOnce(deps, caller, agent, write, (service) => deps.queue.send(service, EVALUATION_JOB, job));
}

/** Returns the runs of a set, newest first. @throws AppError `eval_not_found` */
export async function listEvalRuns(deps: Deps, caller: Caller, agentId: string, name: string) {
  const agent = await requireAgent(deps, caller, "agent:read", agentId);
  const rows = await withAgentReads(deps.db, agent, async (tx) => {
    if (!(await readSet(tx, agent.schema, name))) throw setNotFound();
    return listRuns(tx, agent.schema, name);
  });
  return { runs: rows.map(presentRun) };
}

/** Returns a run with the result of each question. @throws AppError `eval_not_found` */
export async function getEvalRun(deps: Deps, caller: Caller, agentId: string, name: string, id: string) {
  const agent = await requireAgent(deps, caller, "agent:read", agentId);
  const run = await requireRun(deps, agent, name, id);
  return { ...presentRun(run), results: run.results.map((result, n) => ({ ...result, ...questionOf(run.asked[n]) })) };
}

/** Deletes a run. @throws AppError `eval_not_found` */
export async function removeEvalRun(deps: Deps, caller: Caller, agentId: string, name: string, id: string) {
  const agent = await requireAgent(deps, caller, "agent:write", agentId);
  return writeOnce(deps, caller, agent, async (tx) => {
    if (!(await deleteRun(tx, agent.schema, name, id))) throw runNotFound();
    return { deleted: id };
  });
}

/** A question in two runs. */
interface ChangedQuestion {
  id: string;
  text: string;
  rankBefore: number | null;
  rankAfter: number | null;
  before: number;
  after: number;
  change: "better" | "worse" | "equal";
}

/**
 * Compares two runs of a set over the questions that both have asked in the same words, with the
 * computation of `recollect eval`.
 *
 * @throws AppError `eval_not_found`, `invalid_request` when a run has not ended or they share no question
 */
export async function compareEvalRuns(
  deps: Deps,
  caller: Caller,
  agentId: string,
  name: string,
  ids: { before: string; after: string },
) {
  const agent = await requireAgent(deps, caller, "agent:read", agentId);
  const [before, after] = [
    await requireRun(deps, agent, name, ids.before),
    await requireRun(deps, agent, name, ids.after),
  ];
  const then = new Map(before.results.map((result, n) => [`${result.id} ${before.asked[n]?.text}`, result]));
  const pairs = after.results.flatMap((now, n) => {
    const old = then.get(`${now.id} ${after.asked[n]?.text}`);
    return old ? [{ old, now, text: after.asked[n]?.text ?? "" }] : [];
  });
  if (before.state !== "done" || after.state !== "done" || pairs.length === 0)
    throw new AppError("invalid_request", "Both runs must have ended and have questions in common.");
  const measures: Partial<Record<MeasureName, PairedDifference>> = {};
  for (const measure of MEASURE_NAMES) {
    const of = (side: "old" | "now") => pairs.map((pair) => pair[side].measures[measure]);
    measures[measure] = comparePaired(of("old"), of("now"));
    // One comparison takes up to 30 ms.
    await nextTurn(agent.tenantId);
  }
  return {
    before: presentRun(before),
    after: presentRun(after),
    shared: pairs.length,
    measures: measures as Record<MeasureName, PairedDifference>,
    questions: pairs
      .map(({ old, now, text }): ChangedQuestion => {
        const [was, is] = [old.measures.ndcg10, now.measures.ndcg10];
        const change = isTie(is - was) ? "equal" : is > was ? "better" : "worse";
        return { id: now.id, text, rankBefore: old.rank, rankAfter: now.rank, before: was, after: is, change };
      })
      .toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before)),
  };
}

/**
 * Makes a write once under the request's idempotency key.
 *
 * @param conclude runs in the same transaction, in the service's role
 */
async function writeOnce<T>(
  deps: Deps,
  caller: Caller,
  agent: KnownAgent,
  write: (tx: AgentTransaction) => Promise<T>,
  conclude: (service: SqlExecutor) => Promise<void> = async () => undefined,
): Promise<T> {
  const earlier = await findReplay<T>(deps, caller);
  if (earlier) return earlier;
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const answer = await write(tx);
    const service = await tx.asService();
    await recordAnswer(deps, caller, service, agent.agentId, answer);
    await conclude(service);
    return answer;
  });
}

async function requireAgent(
  deps: Deps,
  caller: Caller,
  right: "agent:read" | "agent:write",
  agentId: string,
): Promise<KnownAgent> {
  const agent = await findKnownAgent(deps, caller, right, agentId);
  if (!agent) throw setNotFound();
  return agent;
}

async function requireRun(deps: Deps, agent: KnownAgent, set: string, id: string): Promise<WholeRun> {
  const run = await withAgentReads(deps.db, agent, (tx) => readRun(tx, agent.schema, set, id));
  if (!run) throw runNotFound();
  return run;
}

function questionOf(question: Question | undefined): Pick<Question, "text" | "expected"> {
  return { text: question?.text ?? "", expected: question?.expected ?? [] };
}

function presentSet({ name, description, questions, createdAt, updatedAt, updatedBy }: SetRow) {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { name, description, questions, ...times, updatedBy };
}

function presentRun({ id, set, state, label, questions, done, summary, error, createdBy, ...times }: RunRow) {
  return {
    id,
    set,
    state,
    label,
    questions,
    done,
    summary,
    error,
    createdBy,
    createdAt: times.createdAt.toISOString(),
    endedAt: times.endedAt?.toISOString() ?? null,
  };
}

function setNotFound(): AppError {
  return new AppError("eval_not_found", "The agent has no such set of questions; list its sets.");
}

function runNotFound(): AppError {
  return new AppError("eval_not_found", "The set has no such run, or it was deleted; list its runs.");
}
