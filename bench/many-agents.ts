// Compares searches at random agents of many with the same searches at one agent of the same size.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench node bench/many-agents.ts
//     [agents, default 1000] [chunks, default 1000] [--dimensions 384] [--json]
//
// Runs as deployed. Every agent is made through the API and gets a first file through it. The first
// agent also gets its chunks through the API, and is embedded and packed. The other agents get
// copies of its tables by SQL, four at a time: a million chunks through the API would take most of
// an hour. They need 16 GB of disk either way. Agents of an earlier run stay and are used. There
// are three rows for each number of clients: the one agent when all its pages and postings are in
// memory; random agents at their first searches (`cold`: every agent's tables, role and settings
// are new to a connection); and random agents after some searches each, in turn with the one agent.
// Answers are not cached, query embeddings are: the one agent is asked a hundred questions, each
// other agent two. The ratio is the p95 of warm random agents divided by the one agent's p95. CPU
// is in milliseconds a search.
import { parseArgs } from "node:util";
import { schemaName } from "../src/db/agent/schema/schema-name.ts";
import { openPostgres } from "../src/db/pg.ts";
import { residentBytes, startCpu } from "./support/cpu.ts";
import { deploy, fill } from "./support/deployment.ts";
import { type Figures, figuresOf, measure, printRows, timed } from "./support/figures.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { dimensions: { type: "string", default: "384" }, json: { type: "boolean" } },
});
const AGENTS = Number(positionals[0] ?? 1000);
const CHUNKS = Number(positionals[1] ?? 1000);
const DIMENSIONS = Number(flags.dimensions);
const QUESTIONS = 100;
const QUESTIONS_OF_EACH = 2;
const SEARCHES = 300;
/**
 * The number of searches after which the one agent and the random agents take turns: the machine's
 * speed changes within a minute.
 */
const TURN = 50;
/**
 * The mean number of warm-up searches per agent. With two, one agent of seven would get none, and
 * the p95 would again measure cold agents.
 */
const VISITS = 8;
const AT_ONCE = 4;
/**
 * The tables to copy, parents before children. A generation's row has the counts that a search
 * begins with.
 */
const TABLES = ["files", "chunks_1", "vectors_1", "segments_1", "postings_1", "lexemes"];

const connectionString = process.env.DATABASE_URL ?? "";
const db = openPostgres({ connectionString, maxConnections: AT_ONCE, onIdleError: () => undefined });
const service = await deploy(DIMENSIONS);
const idOf = (i: number) => `many-${String(i).padStart(5, "0")}`;
const statusOf = (agent: string) => service.status(agent).catch(() => undefined);
const topics = await fill(service, idOf(0), CHUNKS);
/**
 * The number of chunks of one agent. Requests write 200 chunks each, so it is a multiple of 200.
 */
const { chunks } = await service.status(idOf(0));
const seconds = () => Math.round(performance.now() / 1000);
// The worker still runs here and makes spare schemas: with thousands of agents, they make creation
// three times as fast.
await createOthers();
console.error(`agents made after ${seconds()} s`);
// The worker would run jobs of agents whose rows are being replaced.
service.worker.kill();
await fillOthers();
console.error(`agents filled after ${seconds()} s`);

async function schemaOf(agent: string) {
  const sql = "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1";
  const { rows } = await db.executeSql<{ schema: string }>(sql, [agent]);
  return schemaName(rows[0]?.schema ?? "");
}

/** Writes a first file to each of the other agents; this makes the generation and its tables. */
async function createOthers(): Promise<void> {
  await timed(AT_ONCE, AGENTS - 1, async (i) => {
    const agent = idOf(i + 1);
    if (await statusOf(agent)) return;
    await service.call("PUT", `/v1/agents/${agent}/files/first.md`, { content: "first" });
  });
}

async function fillOthers(): Promise<void> {
  const from = await schemaOf(idOf(0));
  await timed(AT_ONCE, AGENTS - 1, async (i) => {
    const agent = idOf(i + 1);
    if ((await statusOf(agent))?.chunks === chunks) return;
    await copy(from, await schemaOf(agent));
    // A later run recognises by these counts that the agent is filled.
    await db.executeSql(
      "UPDATE recollect.usage u SET files = f.files, bytes = f.bytes, chunks = f.chunks FROM recollect.usage f WHERE f.agent_id = $1 AND u.agent_id = $2",
      [idOf(0), agent],
    );
  });
}

async function copy(from: ReturnType<typeof schemaName>, to: ReturnType<typeof schemaName>): Promise<void> {
  await db.transaction(async (tx) => {
    // The tables hold the rows of one file. TRUNCATE would make new files for all tables and
    // indexes, ten thousand times.
    for (const table of TABLES) await tx.executeSql(`DELETE FROM ${to}.${table}`);
    for (const table of TABLES)
      await tx.executeSql(
        `INSERT INTO ${to}.${table} ${table === "lexemes" ? "" : "OVERRIDING SYSTEM VALUE"} SELECT * FROM ${from}.${table}`,
      );
    // A process caches segments by their keys, so each key must be unique.
    await tx.executeSql(`UPDATE ${to}.segments_1 SET key = md5(key::text || '${to}')::uuid`);
    // Uses two statements, because the agents may be on two nodes of a cluster.
    const { rows } = await tx.executeSql<Record<string, unknown>>(
      `SELECT stats_chunk_count AS count, stats_total_length AS length, stats_at AS at, vector_index AS indexed FROM ${from}.generations WHERE id = 1`,
    );
    const { count, length, at, indexed } = rows[0] ?? {};
    await tx.executeSql(
      `UPDATE ${to}.generations SET stats_chunk_count = $1, stats_total_length = $2, stats_at = $3, vector_index = $4, changes = changes + 1`,
      [count, length, at, indexed],
    );
  });
  await db.executeSql(`ANALYZE ${TABLES.map((table) => `${to}.${table}`).join(", ")}`);
}

const word = (n: number) => `w${n.toString(36)}`;
const questions = Array.from(
  { length: QUESTIONS },
  (_, i) => `What of ${topics[(i * 7919) % topics.length]} with ${word(i % 40)} and ${word(40 + i)} was decided?`,
);
let asked = 0;
/** @param own the number of the question; by default the questions are asked in turn */
async function search(agent: string, own?: number): Promise<void> {
  const query = questions[(own ?? asked++) % QUESTIONS];
  const path = `/v1/agents/${agent}/tools/memory_search`;
  const { results } = await service.call<{ results: unknown[] }>("POST", path, { query, explain: true });
  if (results.length === 0) throw new Error(`Nothing was found for ${query}`);
}

// The sequence is the same in every run.
let seed = 42;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

// Asks a random agent one of its own two questions, because a process caches query embeddings per
// agent.
function askRandom(): Promise<void> {
  const agent = random(AGENTS);
  return search(idOf(agent), agent * QUESTIONS_OF_EACH + random(QUESTIONS_OF_EACH));
}

const table: Record<string, string | number | undefined>[] = [];

/** Measures several ways to ask, in turns, and adds a row for each. */
async function record(clients: number, ways: readonly (readonly [string, () => Promise<void>])[]): Promise<Figures[]> {
  const sums = ways.map(() => ({ ms: [] as number[], seconds: 0, api: 0, postgres: 0 }));
  for (let done = 0; done < SEARCHES; done += TURN)
    for (const [at, [, ask]] of ways.entries()) {
      const sum = sums[at] as (typeof sums)[number];
      const cpu = startCpu(service.api.pid, connectionString);
      const { ms, seconds } = await timed(clients, TURN, ask);
      const used = cpu(SEARCHES);
      sum.ms.push(...ms);
      sum.seconds += seconds;
      sum.api += used.process ?? 0;
      sum.postgres += used.postgres ?? 0;
    }
  return ways.map(([what], at) => {
    const { api, postgres, ...sum } = sums[at] as (typeof sums)[number];
    const { perSecond, ...times } = figuresOf(sum);
    table.push({
      what: `${what}, ${clients}`,
      ...times,
      "a second": perSecond,
      "CPU of API": api,
      "of Postgres": postgres,
    });
    return { perSecond, ...times };
  });
}

const askOne = () => search(idOf(0));
const megabytes = () => ((residentBytes(service.api.pid) ?? 0) / 1e6).toFixed(0);
await measure(4, QUESTIONS, askOne);
await record(1, [["one agent before", askOne]]);
const memory = [megabytes()];
await record(1, [["random, cold", askRandom]]);
await measure(4, VISITS * AGENTS, askRandom);
const ratios: string[] = [];
for (const clients of [1, 8]) {
  const both = [["one agent", askOne] as const, ["random, warm", askRandom] as const];
  const [single, random] = await record(clients, both);
  ratios.push(`${((random?.p95 ?? 0) / (single?.p95 ?? 1)).toFixed(2)} with ${clients}`);
}
memory.push(megabytes());
const { rows } = await db.executeSql<{ size: string }>(
  "SELECT pg_size_pretty(pg_database_size(current_database())) AS size",
);
printRows(
  `${AGENTS} agents of ${chunks} chunks, ${rows[0]?.size}, ms; p95 random / one: ${ratios.join(", ")} clients; API's memory ${memory.join(" MB before, ")} MB after`,
  table,
);
await db.close();
process.exit();
