// Measures the cost of a search: hybrid and each arm alone through HTTP, compared with the arms'
// bare SQL and with the arms' functions in process, on the same data in the same run.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/search.ts [chunks …, default 100000] [--json] [--cpu-prof=DIR]
//
// Runs as deployed: the API and the provider are separate processes; this process sends the
// requests. Vectors have 384 dimensions and are clustered by topic. Half of a question's words are
// rare, half common. Query embeddings are cached (each question is asked once before). Answers are
// not: no two searches have the same `minScore`, by a billionth. Bare SQL runs the statements of
// one arm on one connection, without transaction, role or HTTP; its keyword arm reads keyword
// vectors. `in process` calls the same arm's function with posting lists in memory, as the service
// does. The agent `keyword` has the same notes without a provider. Tables are vacuumed before. Each
// size has a separate agent; an agent that an earlier run has filled is measured unchanged. CPU is
// in milliseconds a search, of the process that searches and of Postgres's backends; other work on
// the machine changes it little.
import { once } from "node:events";
import { parseArgs } from "node:util";
import { keywordCandidates } from "../src/db/agent/candidates/keyword-search.ts";
import { vectorCandidates } from "../src/db/agent/candidates/vector-search.ts";
import { type SchemaName, schemaName } from "../src/db/agent/schema/schema-name.ts";
import { createSegmentCache, type SegmentCache } from "../src/db/agent/segments/segments.ts";
import type { SqlExecutor } from "../src/db/database.ts";
import { openPostgres } from "../src/db/pg.ts";
import { encodeVector } from "../src/db/vector-codec.ts";
import { analyzeQuery } from "../src/relevance/words/analyze.ts";
import { startCpu } from "./support/cpu.ts";
import { deploy, fill } from "./support/deployment.ts";
import { vectorOf } from "./support/fake-vectors.ts";
import { measure, printRows } from "./support/figures.ts";
import { scanAsServed } from "./support/scan-as-served.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, "cpu-prof": { type: "string" } },
});
const SIZES = positionals.length > 0 ? positionals.map(Number) : [100_000];
const DIMENSIONS = 384;
const QUESTIONS = 200;
const CANDIDATES = 24;
const CLIENTS = [1, 8, 32];

const profile = flags["cpu-prof"];
const service = await deploy(DIMENSIONS, {
  nodeArgs: profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [],
});
const { call } = service;
const connectionString = process.env.DATABASE_URL ?? "";
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });

const word = (n: number) => `w${n.toString(36)}`;
const questionOf = (topics: readonly string[], i: number) =>
  `What of ${topics[(i * 7919) % topics.length]} with ${word(i % 40)} and ${word(40 + (i % 300))} or ${word(2000 + i)} was decided?`;

type Ask = (question: string) => Promise<unknown>;
type Row = Record<string, string | number | undefined>;

/**
 * Returns one row: `clients` clients ask all questions, and repeat them if there are many clients.
 * `inProcess`: this process does the work.
 */
async function row(what: string, clients: number, questions: readonly string[], ask: Ask, inProcess = false) {
  const searches = Math.max(QUESTIONS, clients * 12);
  const pid = inProcess ? process.pid : service.api.pid;
  const cpu = startCpu(pid, connectionString);
  const { perSecond, ...times } = await measure(clients, searches, (round) => ask(questions[round % QUESTIONS] ?? ""));
  const used = cpu(searches);
  return { what, ...times, "a second": perSecond, "CPU of process": used.process, "of Postgres": used.postgres };
}

/**
 * Measures the arms alone on one connection, as the owner role of the searched agent, in a session
 * that is tuned once.
 */
async function armsInProcess(schema: SchemaName, questions: readonly string[]): Promise<Row[]> {
  const index = { schema, generationId: 1 };
  const byKeyword = (sql: SqlExecutor, cache?: SegmentCache) => (question: string) => {
    const asked = { ...index, languages: ["english"], query: analyzeQuery(question, ["english"]), sources: [1] };
    return keywordCandidates(sql, { ...asked, limit: CANDIDATES, ...(cache ? { cache } : {}) });
  };
  const byVector = (sql: SqlExecutor) => (question: string) => {
    const vector = encodeVector(Float32Array.from(vectorOf(question, DIMENSIONS)));
    return vectorCandidates(
      sql,
      { ...index, dimensions: DIMENSIONS, halfVectors: true },
      { vector, limit: CANDIDATES, sources: [1] },
    );
  };
  return db.transaction(async (tx) => {
    await scanAsServed(tx, index.schema);
    const rows: Row[] = [];
    const arms: [string, Ask][] = [
      ["bare SQL, keyword", byKeyword(tx)],
      ["bare SQL, vector", byVector(tx)],
      ["in process, keyword", byKeyword(tx, createSegmentCache(64 * 1024 * 1024))],
    ];
    for (const [what, ask] of arms) {
      await measure(1, QUESTIONS, (round) => ask(questions[round] ?? ""));
      rows.push(await row(what, 1, questions, ask, true));
    }
    return rows;
  });
}

async function schemaOf(agent: string): Promise<SchemaName> {
  const sql = "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1";
  const { rows } = await db.executeSql<{ schema: string }>(sql, [agent]);
  return schemaName(rows[0]?.schema ?? "");
}

let asked = 0;
async function throughHttp(what: string, agent: string, questions: readonly string[]): Promise<Row[]> {
  const path = `/v1/agents/${agent}/tools/memory_search`;
  const ask: Ask = (query) => call("POST", path, { query, minScore: 0.35 + 1e-9 * asked++ });
  // Asks each question once, then asks until the service has opened all its connections and its
  // code is compiled.
  await measure(2, QUESTIONS, (round) => ask(questions[round] ?? ""));
  await measure(32, 3 * QUESTIONS, (round) => ask(questions[round % QUESTIONS] ?? ""));
  const rows: Row[] = [];
  for (const clients of CLIENTS) rows.push(await row(`${what}, ${clients}`, clients, questions, ask));
  return rows;
}

async function measureSize(chunks: number): Promise<void> {
  const [hybrid, keyword] = [`hybrid-${chunks}`, `keyword-${chunks}`];
  const began = performance.now();
  await call("POST", "/v1/agents", { id: keyword, settings: { provider: "none" } }).catch(() => undefined);
  const topics = await fill(service, hybrid, chunks);
  await fill(service, keyword, chunks);
  // Vacuums now; otherwise autovacuum would run beside the first rows.
  await db.executeSql("VACUUM (ANALYZE)");
  console.error(`twice ${chunks} chunks after ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const questions = Array.from({ length: QUESTIONS }, (_, i) => questionOf(topics, i));
  const settings = (values: object) =>
    call("PATCH", `/v1/agents/${hybrid}`, { settings: { query: { hybrid: values } } });
  const rows = await armsInProcess(await schemaOf(hybrid), questions);
  await settings({ vectorWeight: 0.7, textWeight: 0.3, enabled: true });
  rows.push(...(await throughHttp("hybrid", hybrid, questions)));
  await settings({ vectorWeight: 1, textWeight: 0, enabled: false });
  rows.push(...(await throughHttp("vector arm", hybrid, questions)));
  await settings({ vectorWeight: 0.7, textWeight: 0.3, enabled: true });
  rows.push(...(await throughHttp("keyword arm", keyword, questions)));
  const p50 = (what: string) => Number(rows.find((one) => one.what === what)?.p50 ?? 0);
  const ratio = (to: number) => (p50("hybrid, 1") / to).toFixed(2);
  const slower = Math.max(p50("bare SQL, keyword"), p50("bare SQL, vector"));
  const inMemory = Math.max(p50("in process, keyword"), p50("bare SQL, vector"));
  printRows(
    `${chunks} chunks, ms; p50 of hybrid through HTTP / slower arm: ${ratio(slower)} of bare SQL, ${ratio(inMemory)} in process`,
    rows,
  );
}

for (const chunks of SIZES) await measureSize(chunks);
await db.close();
service.api.kill();
await once(service.api, "exit");
process.exit();
