// Measures snippets: of the answers that stand in one of the three best hits, how many stand in its
// snippet? A hit may be longer than a snippet, and then the snippet's choice of lines decides.
//
//   node bench/snippets.ts [--json file] <set> …
//
// A set is one of
//   - a folder with conversations, questions and the messages that answer them, in the form of
//     LoCoMo (bench/support/session-sets.ts): an answer is the sentence of the answering message
//     that has most words of the known answer, or all sentences of the message
//   - a JSON file with the life of a user: files, facts, sessions, and questions whose `wanted`,
//     `also` or `wantedAll` stand verbatim in the texts
//   - the name of a week in test/data/scenarios
//
// The whole service runs in this process on PGlite in memory, with default settings and the
// built-in model. The questions of each set are halved: `even` for choosing, `odd` for checking.
// Prints per half: questions, answers, the share of answers in the three best hits, and how many of
// these stand in a snippet.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import { openPglite } from "../src/db/pglite.ts";
import { compose } from "../src/start/compose.ts";
import { holdsAnswer } from "../test/scenarios/holds-answer.ts";
import { type Call, liveWeek } from "../test/scenarios/live-week.ts";
import { readWeeks } from "../test/scenarios/read-weeks.ts";
import { readSessionSet } from "./support/session-sets.ts";

const BEST_HITS = 3;
const wordsIn = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** An answer: it is shown if one of the texts is, or to the share of the texts that are. */
type Answer = { anyOf: readonly string[] } | { shareOf: readonly string[] };

interface Question {
  agent: string;
  ask: string;
  answers: readonly Answer[];
}

interface Result extends Question {
  /** For each answer, its share in the hits and in their snippets. */
  inHits: number[];
  inSnippets: number[];
  hits: { path: string; snippet: string; text: string }[];
}

interface Hit {
  path: string;
  snippet: string;
  text?: string;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" } },
});
const runtime = await compose(readConfig({ RECOLLECT_PROVIDER: "builtin" }), {
  logger: createLogger("error"),
  worker: true,
  keyless: true,
  database: await openPglite(),
});
const call: Call = async <T>(method: string, path: string, body?: unknown) => {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await runtime.app.request(path, init);
  const answer = (await response.json()) as T;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
};

const all: (Result & { set: string; half: string })[] = [];
try {
  for (const name of positionals) {
    for (const [index, question] of (await storeSet(name)).entries()) {
      const half = index % 2 === 0 ? "even" : "odd";
      all.push({ set: basename(name), half, ...(await ask(question)) });
    }
    console.error(`${name} asked`);
  }
} finally {
  await runtime.close();
}
for (const [set, results] of Map.groupBy(all, (one) => one.set))
  for (const [half, some] of Map.groupBy(results, (one) => one.half))
    console.log(`${set}, ${half}: ${figuresOf(some)}`);
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(all, undefined, 1));

function figuresOf(results: readonly Result[]): string {
  const answers = results.flatMap(({ inHits, inSnippets }) =>
    inHits.map((found, at) => ({ found, shown: Math.min(found, inSnippets[at] ?? 0) })),
  );
  const found = answers.reduce((sum, one) => sum + one.found, 0);
  const shown = answers.reduce((sum, one) => sum + one.shown, 0);
  const share = (shown / Math.max(1, found)).toFixed(3);
  return `${results.length} questions, ${answers.length} answers, ${found.toFixed(1)} in the hits, ${shown.toFixed(1)} of them in snippets (${share})`;
}

async function ask(question: Question): Promise<Result> {
  const asked = { query: question.ask, includeText: true };
  const { results } = await call<{ results: Hit[] }>("POST", `/v1/agents/${question.agent}/tools/memory_search`, asked);
  const hits = results.slice(0, BEST_HITS).map(({ path, snippet, text }) => ({ path, snippet, text: text ?? snippet }));
  const shareIn = (texts: readonly string[], answer: Answer) => {
    const holds = (wanted: string) => texts.some((text) => holdsAnswer(text, [wanted]));
    if ("anyOf" in answer) return answer.anyOf.some(holds) ? 1 : 0;
    const chars = (some: readonly string[]) => some.reduce((sum, one) => sum + one.length, 0);
    return chars(answer.shareOf.filter(holds)) / chars(answer.shareOf);
  };
  const texts = hits.map(({ text }) => text);
  const snippets = hits.map(({ snippet }) => snippet);
  const inHits = question.answers.map((answer) => shareIn(texts, answer));
  const inSnippets = question.answers.map((answer) => shareIn(snippets, answer));
  return { ...question, inHits, inSnippets, hits };
}

/** Stores a set in agents and returns its questions. */
async function storeSet(name: string): Promise<Question[]> {
  if (!existsSync(name)) return storeWeek(name);
  return statSync(name).isDirectory() ? storeConversations(name) : storeLife(name);
}

async function storeWeek(name: string): Promise<Question[]> {
  const questions: Question[] = [];
  for (const week of readWeeks([name])) {
    await liveWeek(call, week);
    for (const { ask, answer } of week.questions)
      questions.push({ agent: week.name, ask, answers: [{ anyOf: answer }] });
  }
  return questions;
}

interface Life {
  files: Record<string, string>;
  facts: string[];
  sessions: { key: string; at: string; messages: { role: string; content: string; at?: string }[] }[];
  questions: { q: string; wanted?: string; also?: string[]; wantedAll?: string[] }[];
}

async function storeLife(file: string): Promise<Question[]> {
  const life = JSON.parse(readFileSync(file, "utf8")) as Life;
  const agent = `life-${basename(file, ".json")}`;
  const home = `/v1/agents/${agent}`;
  for (const [path, content] of Object.entries(life.files)) await call("PUT", `${home}/files/${path}`, { content });
  for (const text of life.facts) await call("POST", `${home}/facts`, { facts: [{ text }] });
  for (const { key, at, messages } of life.sessions.toSorted((a, b) => a.at.localeCompare(b.at))) {
    const said = messages.map((one) => ({ role: one.role, content: one.content, at: one.at ?? at }));
    await call("POST", `${home}/sessions/${encodeURIComponent(key)}/messages`, { messages: said });
  }
  await embedded(agent);
  return life.questions.map(({ q, wanted, also = [], wantedAll }) => ({
    agent,
    ask: q,
    answers: wantedAll ? wantedAll.map((one) => ({ anyOf: [one] })) : [{ anyOf: [wanted ?? "", ...also] }],
  }));
}

async function storeConversations(folder: string): Promise<Question[]> {
  const { conversations, questions } = await readSessionSet(folder);
  for (const [scope, sittings] of conversations) {
    for (const [sitting, said] of sittings) {
      const messages = said.map(({ id, role, name, content, at }) => ({ id, role, name, content, at }));
      await call("POST", `/v1/agents/${scope}/sessions/chat:${sitting}/messages`, { messages, end: true });
    }
    await embedded(scope);
  }
  const known = knownAnswers(folder);
  return questions.map(({ scope, text, wanted }) => ({
    agent: scope,
    ask: text,
    answers: wanted.map(({ sitting, number }) => {
      const message = conversations.get(scope)?.get(sitting)?.[number - 1]?.content ?? "";
      return { shareOf: answeringSentences(message, known.get(`${scope} ${text}`) ?? "") };
    }),
  }));
}

/** Returns the answers of a folder's questions in words, where it has them. */
function knownAnswers(folder: string): Map<string, string> {
  const lines = readFileSync(join(folder, "queries.jsonl"), "utf8").trim().split("\n");
  const read = lines.map((line) => JSON.parse(line) as { scope: string; text: string; answer?: unknown });
  return new Map(read.map(({ scope, text, answer }) => [`${scope} ${text}`, String(answer ?? "")]));
}

/** Returns the sentences with most words of the answer; all sentences if none has any. */
function answeringSentences(message: string, answer: string): string[] {
  const parts = [...sentences.segment(message)].map(({ segment }) => segment.trim()).filter((one) => one !== "");
  const wanted = wordsIn(answer);
  const counts = parts.map((part) => [...wordsIn(part)].filter((word) => wanted.has(word)).length);
  const most = Math.max(0, ...counts);
  return most === 0 ? parts : parts.filter((_, at) => counts[at] === most);
}

async function embedded(agent: string): Promise<void> {
  for (;;) {
    const status = await call<{ pendingEmbeddings: number; unindexedMessages: number }>(
      "GET",
      `/v1/agents/${agent}/status`,
    );
    if (status.pendingEmbeddings === 0 && !status.unindexedMessages) return;
    await new Promise((done) => setTimeout(done, 200));
  }
}
