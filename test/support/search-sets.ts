import { basename } from "node:path";
import { documentPath } from "../../src/cli/eval/document-path.ts";
import { readCorpus } from "../../src/cli/eval/read-corpus.ts";
import { type EvalQuery, findDataset, readDataset } from "../../src/cli/eval/read-dataset.ts";
import { settle } from "../../src/cli/eval/settle.ts";
import { BATCH_FILES } from "../../src/cli/folder/send-changes.ts";
import type { Output } from "../../src/cli/shell/context.ts";
import type { RecollectClient } from "../../src/client/client.ts";
import type { SearchDebug } from "../../src/service/search/search-schemas.ts";

interface StoredFile {
  path: string;
  content: string;
  mtime?: string;
}

/**
 * A data set as agents hold it: documents under their own paths, so that questions can name files.
 */
export interface SearchSet {
  name: string;
  /** The agents, by scope. */
  agents: Map<string, { id: string; files: StoredFile[] }>;
  /** The ids of documents, by path. */
  ids: Map<string, string>;
  queries: EvalQuery[];
}

/** The answer to one question: ids of documents, best first, each once. */
export interface SetAnswer {
  found: string[];
  keyword: string[];
  vector: string[];
  mode: string;
}

interface Explained {
  results: { path: string }[];
  mode: string;
  debug: SearchDebug;
}

const SILENT: Output = { write: () => undefined };
const PATH = /^[\w.-]+(\/[\w.-]+)*\.[a-z]+$/;

/**
 * Reads the data set of a folder. A document whose id is a path with a file extension keeps it as
 * its path; the others get the paths that `recollect eval` gives them.
 */
export async function readSearchSet(folder: string): Promise<SearchSet> {
  const files = await findDataset(folder);
  if ("missing" in files) throw new Error(`${folder} has no ${files.missing}`);
  const name = basename(folder);
  const fail = (problem: string): never => {
    throw new Error(problem);
  };
  const dataset = await readDataset(files, name, fail);
  const set: SearchSet = { name, agents: new Map(), ids: new Map(), queries: dataset.queries };
  for (const [scope, { id }] of dataset.agents) set.agents.set(scope, { id, files: [] });
  for await (const { id, scope, content, mtime } of readCorpus(files.corpus, fail)) {
    const path = PATH.test(id) ? id : documentPath(id);
    set.ids.set(path, id);
    set.agents.get(scope)?.files.push({ path, content, ...(mtime === undefined ? {} : { mtime }) });
  }
  return set;
}

/**
 * Makes the agents of a set and waits until everything is embedded and none of their jobs is left.
 */
export async function loadSearchSet(client: RecollectClient, set: SearchSet): Promise<void> {
  for (const { id, files } of set.agents.values()) {
    await client.agents.create({ id });
    for (let from = 0; from < files.length; from += BATCH_FILES)
      await client.agent(id).files.write({ put: files.slice(from, from + BATCH_FILES) });
  }
  await settled(client, set);
}

/** Resolves when the agents' indexes match their settings. */
export async function settled(client: RecollectClient, set: SearchSet): Promise<void> {
  const agents = [...set.agents.values()].map((agent) => agent.id);
  for (const agent of agents) while (await isReindexing(client, agent)) await new Promise((r) => setTimeout(r, 200));
  await settle(client, agents, {
    loaded: { sent: 0, unchanged: 0, removed: 0, toEmbed: new Map() },
    stderr: SILENT,
  });
}

async function isReindexing(client: RecollectClient, agent: string): Promise<boolean> {
  return (await client.agent(agent).status()).reindex.state !== "none";
}

/**
 * Asks every question of a set as an agent would, for ten hits, with the current settings.
 *
 * @param more fields of the request, such as `minScore`
 */
export async function askSearchSet(client: RecollectClient, set: SearchSet, more: object = {}): Promise<SetAnswer[]> {
  const answers: SetAnswer[] = [];
  const documents = (places: readonly { path: string }[]) => [
    ...new Set(places.flatMap(({ path }) => set.ids.get(path) ?? [])),
  ];
  for (const { scope, text } of set.queries) {
    const memory = client.agent(set.agents.get(scope)?.id ?? "");
    const answer = await memory.search(text, { maxResults: 10, explain: true, ...more });
    const { results, mode, debug } = answer as Explained;
    const { keyword, vector } = debug.arms;
    answers.push({ found: documents(results), keyword: documents(keyword), vector: documents(vector), mode });
  }
  return answers;
}
