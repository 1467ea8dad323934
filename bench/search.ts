// What a search costs: hybrid and each arm alone through HTTP, against the arms' bare SQL on the same data in the same run.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench node bench/search.ts [chunks, default 100000] [--json]
//
// As deployed: the API is a process of its own, the provider another; this one asks. Vectors have 384 dimensions and are
// clustered by topic; half of a question's words are rare, half common. Query embeddings are cached (each question is asked
// once before), answers are not (every question asks for `explain`, or another `maxResults`). Bare SQL: the statements of one
// arm on one connection, without transaction, role or HTTP. A database that an earlier run has filled is measured as it is.
import { once } from "node:events";
import { keywordCandidates } from "../src/db/agent/keyword-search.ts";
import { schemaName } from "../src/db/agent/schema-name.ts";
import { TUNED_VECTOR_SCAN } from "../src/db/agent/vector-index.ts";
import { vectorCandidates } from "../src/db/agent/vectors.ts";
import type { SqlExecutor } from "../src/db/database.ts";
import { openPostgres } from "../src/db/pg.ts";
import { analyzeQuery } from "../src/search/analyze.ts";
import { deploy, fill } from "./support/deployment.ts";
import { vectorOf } from "./support/fake-vectors.ts";

const CHUNKS = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 100_000);
const AGENT = "bench";
const DIMENSIONS = 384;
const QUESTIONS = 200;
const CANDIDATES = 24;
const PROFILE = process.argv.find((argument) => argument.startsWith("--cpu-prof"));

const service = await deploy(DIMENSIONS, {
  nodeArgs: PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${PROFILE.split("=")[1]}`] : [],
});
const { call } = service;
const began = performance.now();
const topics = await fill(service, AGENT, CHUNKS);
service.worker.kill();
console.error(`${CHUNKS} chunks written, embedded and indexed in ${((performance.now() - began) / 1000).toFixed(0)} s`);

const word = (n: number) => `w${n.toString(36)}`;
const questionOf = (i: number) =>
  `What of ${topics[(i * 7919) % topics.length]} with ${word(i % 40)} and ${word(40 + (i % 300))} or ${word(2000 + i)} was decided?`;
const questions = Array.from({ length: QUESTIONS }, (_, i) => questionOf(i));

interface Figures {
  p50: number;
  p95: number;
  p99: number;
  perSecond: number;
}

/** Each of so many clients asks its next question when the last is answered. */
async function measure(clients: number, rounds: number, ask: (question: string) => Promise<unknown>): Promise<Figures> {
  const ms: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < rounds) {
      const question = questions[next++ % QUESTIONS] ?? "";
      const began = performance.now();
      await ask(question);
      ms.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - began) / 1000;
  ms.sort((a, b) => a - b);
  const at = (share: number) => ms[Math.floor((ms.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), perSecond: ms.length / seconds };
}

const search = (question: string) =>
  call("POST", `/v1/agents/${AGENT}/tools/memory_search`, { query: question, explain: true });
const settings = (hybrid: object) => call("PATCH", `/v1/agents/${AGENT}`, { settings: { query: { hybrid } } });

const connectionString = process.env.DATABASE_URL ?? "";
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });
const { rows } = await db.executeSql<{ schema: string }>("SELECT schema_name AS schema FROM recollect.agents");
const index = { schema: schemaName(rows[0]?.schema ?? ""), generationId: 1 };
const asKeyword = (sql: SqlExecutor, question: string) => {
  const asked = { ...index, language: "english", query: analyzeQuery(question, "english"), sources: [1] };
  return keywordCandidates(sql, { ...asked, limit: CANDIDATES });
};
const asVector = (sql: SqlExecutor, question: string) => {
  const vector = `[${vectorOf(question, DIMENSIONS).join(",")}]`;
  return vectorCandidates(sql, { ...index, dimensions: DIMENSIONS }, { vector, limit: CANDIDATES, sources: [1] });
};

const figures: Record<string, Figures> = {};
const record = async (name: string, clients: number, ask: (question: string) => Promise<unknown>) => {
  figures[name] = await measure(clients, Math.max(QUESTIONS, clients * 25), ask);
};
// One connection: as the searched agent's owner sees it, a session that is tuned once.
await db.transaction(async (tx) => {
  await tx.executeSql(TUNED_VECTOR_SCAN);
  await measure(1, QUESTIONS, (question) => asKeyword(tx, question));
  await measure(1, QUESTIONS, (question) => asVector(tx, question));
  await record("bare SQL, keyword", 1, (question) => asKeyword(tx, question));
  await record("bare SQL, vector", 1, (question) => asVector(tx, question));
});
await settings({ vectorWeight: 0.7, textWeight: 0.3, enabled: true });
await measure(1, QUESTIONS, search);
for (const clients of [1, 8, 32]) await record(`hybrid, ${clients}`, clients, search);
await settings({ vectorWeight: 1, textWeight: 0, enabled: false });
for (const clients of [1, 8, 32]) await record(`vector arm, ${clients}`, clients, search);

const rowsOf = Object.entries(figures).map(([name, { p50, p95, p99, perSecond }]) =>
  [name.padEnd(20), ...[p50, p95, p99, perSecond].map((value) => value.toFixed(1).padStart(8))].join(" "),
);
console.log(["".padEnd(20), ...["p50 ms", "p95 ms", "p99 ms", "a second"].map((name) => name.padStart(8))].join(" "));
console.log(rowsOf.join("\n"));
const slower = Math.max(figures["bare SQL, keyword"]?.p50 ?? 0, figures["bare SQL, vector"]?.p50 ?? 0);
console.log(`hybrid through HTTP / slower bare arm, p50: ${((figures["hybrid, 1"]?.p50 ?? 0) / slower).toFixed(2)}`);
if (process.argv.includes("--json")) console.log(JSON.stringify({ chunks: CHUNKS, figures }));
await db.close();
service.api.kill();
await once(service.api, "exit");
process.exit();
