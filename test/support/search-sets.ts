import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BATCH_FILES } from "../../src/cli/folder/send-changes.ts";
import type { Output } from "../../src/cli/shell/context.ts";
import { readLines, START } from "../../src/cli/shell/read-lines.ts";
import { waitForEmbeddings } from "../../src/cli/shell/wait-for-embeddings.ts";
import type { RecollectClient } from "../../src/client/client.ts";
import type { Judgements } from "../../src/relevance/measures/measures.ts";
import type { SearchDebug } from "../../src/service/search/search-schemas.ts";

interface StoredFile {
  path: string;
  content: string;
  mtime?: string;
}

/** A question with at least one judgement above 0. */
interface SearchQuestion {
  scope: string;
  text: string;
  judgements: Judgements;
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
  queries: SearchQuestion[];
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

const POLL_MS = 200;
/** The longest wait for the jobs of an agent besides its embeddings. */
const MOST_WAIT_MS = 60_000;
const SILENT: Output = { write: () => undefined };
const PATH = /^[\w.-]+(\/[\w.-]+)*\.[a-z]+$/;

/** A line of corpus.jsonl or queries.jsonl; BEIR names the id `_id`. */
interface Row {
  id?: string | number;
  _id?: string | number;
  scope?: string | null;
  title?: string | null;
  text: string;
  date?: unknown;
}

/**
 * Reads the data set of a folder, which has corpus.jsonl, queries.jsonl and qrels.tsv. A document
 * whose id is a path with a file extension keeps it as its path.
 */
export async function readSearchSet(folder: string): Promise<SearchSet> {
  const set: SearchSet = { name: basename(folder), agents: new Map(), ids: new Map(), queries: [] };
  for await (const { id, scope, title, text, date } of rowsOf(join(folder, "corpus.jsonl"))) {
    const path = PATH.test(id) ? id : `corpus/${encodeURIComponent(id).replaceAll("%", "~")}.md`;
    const heading = title?.replace(/\s+/g, " ").trim();
    const agent = set.agents.get(scope) ?? { id: agentIdOf(set.name, set.agents.size), files: [] };
    const content = heading ? `# ${heading}\n\n${text}` : text;
    agent.files.push({ path, content, ...(isDate(date) && { mtime: new Date(date).toISOString() }) });
    set.agents.set(scope, agent);
    set.ids.set(path, id);
  }
  const judgements = await readJudgements(folder);
  for await (const { id, scope, text } of rowsOf(join(folder, "queries.jsonl"))) {
    const judged = judgements.get(id) ?? new Map<string, number>();
    if ([...judged.values()].some((gain) => gain > 0)) set.queries.push({ scope, text, judgements: judged });
  }
  if (set.queries.length === 0) throw new Error(`${folder} has no question with a judgement above 0`);
  return set;
}

async function* rowsOf(file: string): AsyncGenerator<Row & { id: string; scope: string }> {
  for await (const line of linesOf(file)) {
    const { _id, id = _id, scope, ...row } = JSON.parse(line) as Row;
    yield { ...row, id: String(id), scope: scope ?? "" };
  }
}

/** Returns the judgements of each question, by its id. */
async function readJudgements(folder: string): Promise<Map<string, Map<string, number>>> {
  const own = join(folder, "qrels.tsv");
  const judgements = new Map<string, Map<string, number>>();
  for await (const line of linesOf(existsSync(own) ? own : join(folder, "qrels/test.tsv"))) {
    const [query = "", document = "", score = ""] = line.split("\t").map((field) => field.trim());
    // The first line is a header.
    if (Number.isNaN(Number(score))) continue;
    const judged = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, judged.set(document, Number(score)));
  }
  return judgements;
}

/** Yields the lines of a file that are not empty. */
async function* linesOf(file: string): AsyncGenerator<string> {
  for await (const { number, text, problem } of readLines(file, START)) {
    if (text === undefined) throw new Error(`${file} line ${number}: ${problem}`);
    if (text.trim() !== "") yield text;
  }
}

/** Returns the id of the agent of a set's scope, counted from 0. */
function agentIdOf(set: string, scope: number): string {
  return `${set.toLowerCase().replace(/[^a-z0-9_-]+/g, "-")}-${scope}`.slice(-60);
}

/** Returns whether a value is a date or an instant in ISO 8601. */
function isDate(value: unknown): value is string {
  return (
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
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

/** Resolves when the agents' indexes match their settings and their jobs are done. */
export async function settled(client: RecollectClient, set: SearchSet): Promise<void> {
  const agents = [...set.agents.values()].map((agent) => client.agent(agent.id));
  for (const agent of agents) while ((await agent.status()).reindex.state !== "none") await sleep(POLL_MS);
  for (const agent of agents) {
    const { stalled, trouble } = await waitForEmbeddings(agent, { client, toEmbed: 0, stderr: SILENT });
    if (stalled) throw new Error(trouble ?? "No embedding is made.");
    // A job that changes the statistics of terms would change the order of answers.
    for (let waitedMs = 0; waitedMs < MOST_WAIT_MS; waitedMs += POLL_MS) {
      const { jobs } = await agent.status();
      if (Object.entries(jobs).every(([kind, { waiting, active }]) => kind === "embed" || waiting + active === 0))
        break;
      await sleep(POLL_MS);
    }
  }
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
