import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { AppError } from "../../base/errors.ts";
import type { RecollectClient } from "../../client/client.ts";
import { connected } from "../shell/connected.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { printableLine } from "../shell/printable.ts";
import { codeOf } from "../shell/problem.ts";
import { compareRuns } from "./compare-runs.ts";
import type { EvalReport } from "./eval-report.ts";
import { htmlReport } from "./html-report.ts";
import { loadDocuments } from "./load-documents.ts";
import { pickQueries } from "./pick-queries.ts";
import { printReport } from "./print-report.ts";
import { type Dataset, type DatasetFiles, type EvalQuery, readDataset } from "./read-dataset.ts";
import { type RunChoice, runPlans } from "./run-plans.ts";
import { readSavedRun, savedText } from "./saved-run.ts";
import { settle } from "./settle.ts";
import { figuresOf, type MeasuredRun, summarise } from "./summarise.ts";
import { worstQueries } from "./worst-queries.ts";

export interface EvalOptions extends AdminOptions, RunChoice {
  name?: string;
  clients: number;
  limit?: number;
  sample?: number;
  save?: string;
  compare?: string;
  html?: string;
  minNdcg?: number;
  erase?: boolean;
}

/** A data set with the questions that are asked of it. */
interface Task {
  name: string;
  dataset: Dataset;
  files: DatasetFiles;
  queries: EvalQuery[];
}

/** What the service did with it. */
interface Outcome {
  runs: MeasuredRun[];
  facts: Pick<
    EvalReport,
    "provider" | "model" | "documents" | "agents" | "chunks" | "sent" | "unchanged" | "removed" | "notes"
  >;
}

/**
 * `recollect eval DIR`: stores a data set in agents of its own, asks its questions and measures the answers.
 *
 * @param folder of the data set, whose `files` exist
 * @returns 1 when a run is below `minNdcg`, else 0
 * @throws AppError `invalid_request` for bad files, `forbidden` for a key that may not create agents
 */
export async function evaluate(
  context: CliContext,
  { folder, files }: { folder: string; files: DatasetFiles },
  options: EvalOptions,
): Promise<number> {
  const name = options.name ?? basename(folder);
  const dataset = await readDataset(files, name, (problem) => void context.stderr.write(`${printableLine(problem)}\n`));
  const before = options.compare && (await readSavedRun(resolve(context.cwd, options.compare), options.compare));
  const queries = pickQueries(dataset.queries, options.limit, options.sample);
  const task = { name, dataset, files, queries };
  return connected(context, options, async ({ client, description }) => {
    const { runs, facts } = await measureService(context, client, task, options);
    const report: EvalReport = {
      ...{ name, server: description, queries: queries.length, clients: options.clients },
      ...facts,
      erased: options.erase ? await eraseAgents(client, dataset) : 0,
      runs: runs.map(figuresOf),
      comparisons: before ? compareRuns(runs, before) : [],
    };
    if (before && report.comparisons.length === 0)
      report.notes.push(`Nothing is compared: ${options.compare} has no run of such a name with such queries.`);
    printReport(context, report, { json: options.json ?? false, queries });
    await writeReports(context, options, { report, runs, task });
    return runs.some((run) => run.measures.ndcg10.mean < (options.minNdcg ?? 0)) ? 1 : 0;
  });
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
  const loaded = await loadDocuments(client, files.corpus, agents, stderr).catch(explainRefusal);
  const { notes, ...memory } = await settle(
    client,
    agents.map((agent) => agent.id),
    { loaded, stderr },
  );
  // Only then: from the call on Ctrl-C no longer ends the process, which is for settings that have to be given back.
  const changesSettings = options.fusions !== undefined || options.runs?.includes("vector");
  const signal = changesSettings ? context.stopping() : undefined;
  const asking = { client, agents: dataset.agents, stderr, clients: options.clients, ...(signal && { signal }) };
  const ran = await runPlans(asking, queries, options).catch((error: unknown) => {
    if (signal?.aborted)
      throw new AppError("service_unreachable", "Interrupted; the agents have their own settings again.");
    return explainRefusal(error);
  });
  const documents = agents.reduce((sum, agent) => sum + agent.documents.size, 0);
  const { sent, unchanged, removed } = loaded;
  return {
    runs: ran.runs.map((run) => summarise(run, queries)),
    facts: { ...memory, documents, agents: agents.length, sent, unchanged, removed, notes: [...notes, ...ran.notes] },
  };
}

/** A key without the scope `tenant` is told that an agent it would have to create is not there. */
function explainRefusal(error: unknown): never {
  if (!["forbidden", "agent_not_found"].includes(codeOf(error) ?? "")) throw error;
  const message = "This key may not create and change agents, which an evaluation does; use one with the scope tenant.";
  throw new AppError("forbidden", message, { cause: error });
}

/** All agents of the data set, also those that other questions than today's needed. @returns how many there were */
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
    queries: await worstQueries(shown, task.queries, task.files.corpus),
  };
  const page = htmlReport(report, { runs, worst, version: context.version, at });
  await writeFile(resolve(context.cwd, html), page);
}
