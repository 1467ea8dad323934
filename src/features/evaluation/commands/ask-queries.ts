import { AppError } from "../../../base/errors.ts";
import type { Output } from "../../../cli/shell/context.ts";
import { inParallel } from "../../../cli/shell/in-parallel.ts";
import { codeOf } from "../../../cli/shell/problem.ts";
import { startProgress } from "../../../cli/shell/progress.ts";
import type { RecollectClient } from "../../../client/client.ts";
import type { EvalAgent, EvalQuery } from "./read-dataset.ts";

/** The answer to one question. */
export interface Answer {
  /** The documents that were found, best first, each once, at most 100. */
  documents: string[];
  /** The documents that each arm found, when the server was asked to explain and can do so. */
  keyword?: string[];
  vector?: string[];
  milliseconds: number;
  mode: string;
  warning?: string;
}

export interface Asked {
  /** The answers, in the order of the queries. */
  answers: Answer[];
  seconds: number;
}

export interface Asking {
  client: RecollectClient;
  agents: ReadonlyMap<string, EvalAgent>;
  stderr: Output;
  /** The number of requests at once. */
  clients: number;
  signal?: AbortSignal;
}

interface Place {
  path: string;
}

/** The most results that the server gives; recall@100 needs all of them. */
const MAX_RESULTS = 100;

/**
 * Asks every question once. Before that, it asks one unmeasured question for each scope, because
 * the first question may have to load a model.
 */
export async function askQueries(
  asking: Asking,
  queries: readonly EvalQuery[],
  { label, explain = false }: { label: string; explain?: boolean },
): Promise<Asked> {
  const firsts = new Map(queries.map((query) => [query.scope, query]));
  for (const query of firsts.values()) await askOne(asking, query, explain);
  const answers: Answer[] = [];
  const progress = await startProgress(asking.stderr, label, queries.length);
  const started = performance.now();
  let done = 0;
  const jobs = queries.map((query, index) => async () => {
    answers[index] = await askOne(asking, query, explain);
    progress.update(++done);
  });
  try {
    await inParallel(jobs, asking.clients);
  } finally {
    progress.stop();
  }
  return { answers, seconds: (performance.now() - started) / 1000 };
}

/**
 * Returns whether the server can say which documents each arm found. Its request bodies are strict,
 * so a server that cannot do so refuses the question.
 */
export async function canExplain(asking: Asking, query: EvalQuery): Promise<boolean> {
  try {
    const { keyword, vector } = await askOne(asking, query, true);
    return keyword !== undefined || vector !== undefined;
  } catch (error) {
    if (codeOf(error) === "invalid_request") return false;
    throw error;
  }
}

async function askOne(
  { client, agents, signal }: Asking,
  { scope, text }: EvalQuery,
  explain: boolean,
): Promise<Answer> {
  const agent = agents.get(scope);
  if (!agent) throw new Error(`no agent for the scope ${scope}`);
  const memory = client.agent(agent.id, { signal });
  const options = { maxResults: MAX_RESULTS, minScore: 0, ...(explain && { explain }) };
  const started = performance.now();
  const answer = await memory.search(text, options);
  const milliseconds = performance.now() - started;
  if (answer.unavailable) {
    const why = [answer.warning, answer.action].filter(Boolean).join(" ");
    throw new AppError("embedder_unavailable", why || "Memory search is unavailable; look at the server's log.");
  }
  const { keyword, vector } = answer.debug?.arms ?? {};
  return {
    documents: documentsOf(agent, answer.results),
    ...(keyword && { keyword: documentsOf(agent, keyword) }),
    ...(vector && { vector: documentsOf(agent, vector) }),
    milliseconds,
    mode: answer.mode ?? "unknown",
    ...(answer.warning === undefined ? {} : { warning: answer.warning }),
  };
}

/** Returns the documents of the hits. Several hits of one document count once, at the best rank. */
function documentsOf(agent: EvalAgent, places: readonly Place[]): string[] {
  const ids = places.flatMap(({ path }) => agent.documents.get(path)?.id ?? (agent.isOwn ? path : []));
  return [...new Set(ids)].slice(0, MAX_RESULTS);
}
