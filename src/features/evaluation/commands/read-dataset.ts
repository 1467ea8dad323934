import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../base/errors.ts";
import { countOf } from "../../../base/text/count-of.ts";
import type { Judgements } from "../../../relevance/measures/measures.ts";
import { documentPath, evalAgentId } from "./document-path.ts";
import { type Report, readCorpus, readQueries } from "./read-corpus.ts";
import { readLines } from "./read-lines.ts";

/** The places of the three files of a data set. */
export interface DatasetFiles {
  corpus: string;
  queries: string;
  qrels: string;
  /**
   * Whether there is a corpus. Without a corpus, the questions go to an existing agent, unchanged.
   */
  hasCorpus: boolean;
}

/** The documents of one scope, which are one agent's files. */
export interface EvalAgent {
  id: string;
  scope: string;
  /**
   * The documents, keyed by path: the id, and the SHA-256 of the content in hex, as the server
   * computes it.
   */
  documents: Map<string, { id: string; hash: string }>;
  /** Whether the agent is a user's own agent. Its other files are identified by their paths. */
  isOwn?: boolean | undefined;
}

/** A question with at least one judgement above 0. */
export interface EvalQuery {
  id: string;
  scope: string;
  text: string;
  judgements: Judgements;
}

export interface Dataset {
  /** The agents by scope. */
  agents: Map<string, EvalAgent>;
  queries: EvalQuery[];
}

/** The most documents. Ids, hashes and questions are held in memory: some 300 bytes a document. */
const MOST_DOCUMENTS = 1_000_000;
const MOST_QUERIES = 100_000;
const MOST_JUDGEMENTS = 5_000_000;
/** The most scopes. Each scope is an agent, with a schema and a role. */
const MOST_SCOPES = 1000;
const MOST_PROBLEMS = 20;
const MOST_QRELS_LINE_BYTES = 10_000;

/**
 * Finds the files of a data set in a folder. The judgements may also be in `qrels/test.tsv`, as in
 * BEIR.
 *
 * @param needs.corpus whether there must be a corpus
 * @returns the files, or the name of the missing file
 */
export async function findDataset(
  folder: string,
  needs: { corpus: boolean } = { corpus: true },
): Promise<DatasetFiles | { missing: string }> {
  const exists = (name: string) =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    );
  const qrels = (await exists("qrels.tsv")) ? "qrels.tsv" : "qrels/test.tsv";
  const [corpus, queries] = ["corpus.jsonl", "queries.jsonl"];
  for (const name of [...(needs.corpus ? [corpus] : []), queries, qrels])
    if (!(await exists(name))) return { missing: name === "qrels/test.tsv" ? "qrels.tsv" : name };
  const [hasCorpus, at] = [await exists(corpus), (file: string) => join(folder, file)];
  return { corpus: at(corpus), queries: at(queries), qrels: at(qrels), hasCorpus };
}

/**
 * Reads and checks a data set. It keeps only the documents' ids and hashes. It reports bad lines
 * one by one and then fails: figures for a part of the data would look like figures for the whole.
 *
 * @param agentId an existing agent that is asked unchanged; judgements then name documents of the
 *   corpus, or paths of the agent's memory
 * @throws AppError `invalid_request`
 */
export async function readDataset(
  files: DatasetFiles,
  name: string,
  report: Report,
  agentId?: string,
): Promise<Dataset> {
  let problems = 0;
  const count = (problem: string) => {
    report(problem);
    if (++problems >= MOST_PROBLEMS) throw bad(`The data set has ${problems} or more bad lines`);
  };
  const { agents, scopes } = await readAgents(files, name, count);
  const questions = await readQuestions(files.queries, count);
  await readJudgements(files.qrels, agentId === undefined ? scopes : undefined, questions, count);
  if (problems > 0) throw bad(`The data set has ${countOf(problems, "bad line")}`);
  const queries = [...questions.values()].filter(({ judgements }) => [...judgements.values()].some((gain) => gain > 0));
  if (queries.length === 0) throw bad("No query has a judgement above 0");
  return { agents: agentId === undefined ? agents : ofOneAgent(agents, questions, agentId), queries };
}

/** Returns one agent for every scope, so that all questions are asked of this agent. */
function ofOneAgent(
  agents: ReadonlyMap<string, EvalAgent>,
  questions: ReadonlyMap<string, Question>,
  id: string,
): Map<string, EvalAgent> {
  const documents = new Map([...agents.values()].flatMap((agent) => [...agent.documents]));
  const scopes = new Set([...questions.values()].map(({ scope }) => scope));
  return new Map([...scopes].map((scope) => [scope, { id, scope, documents, isOwn: true }]));
}

/** Returns the same questions for another agent. */
export function askedOf({ queries, agents }: Dataset, id: string): Dataset {
  return { queries, agents: new Map([...agents].map(([scope, agent]) => [scope, { ...agent, id }])) };
}

async function readAgents(
  { corpus, hasCorpus }: DatasetFiles,
  name: string,
  report: Report,
): Promise<{ agents: Map<string, EvalAgent>; scopes: Map<string, string> }> {
  const agents = new Map<string, EvalAgent>();
  const scopes = new Map<string, string>();
  if (!hasCorpus) return { agents, scopes };
  for await (const { id, scope, content, line } of readCorpus(corpus, report)) {
    if (scopes.has(id)) report(`corpus.jsonl line ${line}: the document ${id} occurs twice`);
    if (scopes.size >= MOST_DOCUMENTS) throw bad(`corpus.jsonl has more than ${MOST_DOCUMENTS} documents`);
    scopes.set(id, scope);
    const agent = agents.get(scope) ?? { id: evalAgentId(name, scope), scope, documents: new Map() };
    agent.documents.set(documentPath(id), { id, hash: createHash("sha256").update(content).digest("hex") });
    agents.set(scope, agent);
    if (agents.size > MOST_SCOPES) throw bad(`corpus.jsonl has more than ${MOST_SCOPES} scopes`);
  }
  if (new Set([...agents.values()].map((agent) => agent.id)).size < agents.size)
    throw bad("Two scopes have the same agent id; rename one");
  return { agents, scopes };
}

type Question = EvalQuery & { judgements: Map<string, number> };

async function readQuestions(path: string, report: Report): Promise<Map<string, Question>> {
  const questions = new Map<string, Question>();
  for await (const { line, ...query } of readQueries(path, report)) {
    if (questions.has(query.id)) report(`queries.jsonl line ${line}: the query ${query.id} occurs twice`);
    if (questions.size >= MOST_QUERIES) throw bad(`queries.jsonl has more than ${MOST_QUERIES} queries`);
    questions.set(query.id, { ...query, judgements: new Map() });
  }
  return questions;
}

async function readJudgements(
  path: string,
  scopes: ReadonlyMap<string, string> | undefined,
  questions: ReadonlyMap<string, Question>,
  report: Report,
): Promise<void> {
  for await (const { number, text } of readLines(path, "qrels.tsv", MOST_QRELS_LINE_BYTES)) {
    if (text.trim() === "") continue;
    const fields = text.split("\t").map((field) => field.trim());
    const score = Number(fields[2] || Number.NaN);
    // Without this check, a file without a header would lose its first judgement.
    const isHeader = number === 1 && Number.isNaN(score);
    if (isHeader) continue;
    const problem =
      number === 1 ? "no header line: query-id, corpus-id, score" : judge(fields, score, scopes, questions);
    if (problem !== undefined) report(`qrels.tsv line ${number}: ${problem}`);
    if (number > MOST_JUDGEMENTS) throw bad(`qrels.tsv has more than ${MOST_JUDGEMENTS} lines`);
  }
}

/**
 * Adds a judgement to its question.
 *
 * @param scopes undefined: any document may be judged
 * @returns the problem of the judgement, if it has one
 */
function judge(
  [queryId = "", documentId = "", ...rest]: readonly string[],
  score: number,
  scopes: ReadonlyMap<string, string> | undefined,
  questions: ReadonlyMap<string, Question>,
): string | undefined {
  if (rest.length !== 1 || !Number.isFinite(score))
    return "must be a query id, a document id and a number, tab-separated";
  const question = questions.get(queryId);
  const scope = scopes ? scopes.get(documentId) : question?.scope;
  if (!question) return `no query ${queryId} in queries.jsonl`;
  if (scope === undefined) return `no document ${documentId} in corpus.jsonl`;
  if (scope !== question.scope && score > 0)
    return `the document ${documentId} is in another scope than the query ${queryId}, so it can never be found`;
  question.judgements.set(documentId, score);
  return undefined;
}

function bad(problem: string): AppError {
  return new AppError("invalid_request", `${problem}; correct the files and run it again.`);
}
