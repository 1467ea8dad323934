import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { AppError } from "../../../base/errors.ts";
import { connected } from "../../../cli/shell/connected.ts";
import type { AdminOptions, CliContext } from "../../../cli/shell/context.ts";
import { printableLine } from "../../../cli/shell/printable.ts";
import { codeOf } from "../../../cli/shell/problem.ts";
import type { RecollectClient } from "../../../client/client.ts";
import { compareRuns } from "./compare-runs.ts";
import type { EvalReport } from "./eval-report.ts";
import { htmlReport } from "./html-report.ts";
import { loadDocuments } from "./load-documents.ts";
import { pickQueries } from "./pick-queries.ts";
import { printReport } from "./print-report.ts";
import { askedOf, type Dataset, type DatasetFiles, type EvalQuery, readDataset } from "./read-dataset.ts";
import { type RunChoice, runPlans } from "./run-plans.ts";
import { readSavedRun, savedText } from "./saved-run.ts";
import { settle } from "./settle.ts";
import { figuresOf, type MeasuredRun, summarise } from "./summarise.ts";
import { worstQueries } from "./worst-queries.ts";

export interface EvalOptions extends AdminOptions, RunChoice {
  name?: string;
  /** The existing agent that is asked, unchanged. */
  agent?: string;
  clients: number;
  limit?: number;
  sample?: number;
  save?: string;
  /** The file of a saved run; with `agent` also the id of another agent. */
  compare?: string;
  html?: string;
  minNdcg?: number;
  erase?: boolean;
}

/** A data set with the questions to ask. */
interface Task {
  name: string;
  dataset: Dataset;
  files: DatasetFiles;
  queries: EvalQuery[];
}

/** The result of a task at the service. */
interface Outcome {
  runs: MeasuredRun[];
  facts: Pick<
    EvalReport,
    "provider" | "model" | "documents" | "agents" | "chunks" | "sent" | "unchanged" | "removed" | "notes"
  >;
}

/**
 * Runs `recollect eval DIR`: stores a data set in agents of its own, asks its questions and
 * measures the answers. With `agent` it stores nothing and asks that agent, unchanged; it may ask
 * another agent, such as a branch of the first, the same questions.
 *
 * @param folder the folder of the data set; its `files` exist
 * @returns 1 when a run is below `minNdcg`, else 0
 * @throws AppError `invalid_request` for bad files, `forbidden` for a key that may not create
 *   agents
 */
export async function evaluate(
  context: CliContext,
  { folder, files }: { folder: string; files: DatasetFiles },
  options: EvalOptions,
): Promise<number> {
  const name = options.name ?? basename(folder);
  const report = (problem: string) => void context.stderr.write(`${printableLine(problem)}\n`);
  const dataset = await readDataset(files, name, report, options.agent);
  const other = otherAgent(options);
  const saved = options.compare === undefined || other !== undefined ? undefined : options.compare;
  const before = saved && (await readSavedRun(resolve(context.cwd, saved), saved));
  const queries = pickQueries(dataset.queries, options.limit, options.sample);
  const task = { name, dataset, files, queries };
  // Without an agent to measure, the command makes agents of its own.
  const ifMissing = options.agent === undefined ? "create" : undefined;
  return connected(context, { ...options, ifMissing }, async ({ client, description }) => {
    const { runs, facts } = await measureService(context, client, task, options);
    const theirs =
      other === undefined
        ? undefined
        : await measureService(context, client, { ...task, dataset: askedOf(dataset, other) }, options);
    const describe = (run: string) => (runs.length === 1 ? (other ?? run) : `${run} of ${other}`);
    const report: EvalReport = {
      name,
      agent: options.agent,
      server: description,
      queries: queries.length,
      clients: options.clients,
      ...facts,
      erased: options.erase ? await eraseAgents(client, dataset) : 0,
      runs: runs.map(figuresOf),
      comparisons: theirs ? compareRuns(runs, theirs, describe) : before ? compareRuns(runs, before) : [],
    };
    report.notes.push(...(theirs?.facts.notes ?? []));
    if (before && report.comparisons.length === 0)
      report.notes.push(`Nothing is compared: ${options.compare} has no run of the same name with the same queries.`);
    printReport(context, report, { json: options.json ?? false, queries });
    await writeReports(context, options, { report, runs, task });
    return runs.some((run) => run.measures.ndcg10.mean < (options.minNdcg ?? 0)) ? 1 : 0;
  });
}

/**
 * Returns the agent to compare with. `--compare` may name an agent or a file; a legal agent id is
 * taken for an agent.
 */
function otherAgent({ agent, compare }: EvalOptions): string | undefined {
  return agent !== undefined && compare !== undefined && /^[a-z0-9_-]{1,63}$/.test(compare) ? compare : undefined;
}

async function measureService(
  context: CliContext,
  client: RecollectClient,
  { dataset, files, queries }: Task,
  options: EvalOptions,
): Promise<Outcome> {
  const { stderr } = context;
  const asked = new Set(queries.map((query) => query.scope));
  const agents = [...dataset.agents.values()].filter((agent) => asked.has(agent.scope));
  const isOwn = agents.some((agent) => agent.isOwn);
  const loaded = isOwn
    ? { sent: 0, unchanged: 0, removed: 0, toEmbed: new Map<string, number>() }
    : await loadDocuments(client, files.corpus, agents, stderr).catch(explainRefusal);
  const ids = [...new Set(agents.map((agent) => agent.id))];
  const { notes, ...memory } = await settle(client, ids, { loaded, stderr });
  // `stopping` is called only now. From this call on, Ctrl-C no longer ends the process at once,
  // because changed settings have to be given back first.
  const changesSettings = options.fusions !== undefined || options.runs?.includes("vector");
  const signal = changesSettings ? context.stopping() : undefined;
  const asking = { client, agents: dataset.agents, stderr, clients: options.clients, ...(signal && { signal }) };
  const ran = await runPlans(asking, queries, options).catch((error: unknown) => {
    if (signal?.aborted)
      throw new AppError("service_unreachable", "Interrupted; the agents have their own settings again.");
    if (isOwn) throw error;
    return explainRefusal(error);
  });
  const documents = isOwn ? 0 : agents.reduce((sum, agent) => sum + agent.documents.size, 0);
  const { sent, unchanged, removed } = loaded;
  return {
    runs: ran.runs.map((run) => summarise(run, queries)),
    facts: { ...memory, documents, agents: ids.length, sent, unchanged, removed, notes: [...notes, ...ran.notes] },
  };
}

/**
 * Explains a refusal. A key without the scope `tenant` may not create agents, so the server answers
 * it that the data set's agent does not exist.
 */
function explainRefusal(error: unknown): never {
  if (!["forbidden", "agent_not_found"].includes(codeOf(error) ?? "")) throw error;
  const message = "This key may not create and change agents, which an evaluation does; use one with the scope tenant.";
  throw new AppError("forbidden", message, { cause: error });
}

/**
 * Erases all agents of the data set, including agents that only other questions needed.
 *
 * @returns how many agents there were
 */
async function eraseAgents(client: RecollectClient, { agents }: Dataset): Promise<number> {
  let erased = 0;
  for (const { id } of agents.values()) {
    try {
      await client.agents.erase(id);
      erased++;
    } catch (error) {
      if (codeOf(error) !== "agent_not_found") throw error;
    }
  }
  return erased;
}

async function writeReports(
  context: CliContext,
  { save, html }: EvalOptions,
  { report, runs, task }: { report: EvalReport; runs: readonly MeasuredRun[]; task: Task },
): Promise<void> {
  const at = new Date().toISOString();
  if (save !== undefined) await writeFile(resolve(context.cwd, save), savedText(task.name, at, runs));
  if (html === undefined) return;
  const shown = runs.find((run) => run.name !== "keyword" && run.name !== "vector") ?? runs[0];
  const worst = shown && {
    run: shown.name,
    queries: await worstQueries(shown, task.queries, task.files),
  };
  const page = htmlReport(report, { runs, worst, version: context.version, at });
  await writeFile(resolve(context.cwd, html), page);
}
