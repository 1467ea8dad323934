/**
 * Measures the cost of creating, searching and migrating many agents in one database.
 *
 *   DATABASE_URL=postgres://recollect:…@localhost/bench
 *     node bench/fleet.ts [agents, default 2000] [--there many]
 *
 * The login should be a service login as in docs/ISOLATION.md, not a superuser: for a superuser
 * Postgres skips the check of role membership, which is part of the measurement. It also needs
 * pg_read_all_stats, to see its own memory. The database should be empty. Each agent gets the notes
 * of examples/workspace. Only the first agent's notes are embedded; the other agents find the
 * vectors in the cache. With `--there` the benchmark uses the agents that `bench/many-agents.ts`
 * has made.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import type { Database } from "../src/db/database.ts";
import { loadAgentMigrations } from "../src/db/migrate/agent.ts";
import { openPostgres } from "../src/db/pg.ts";
import type { FleetStatus } from "../src/service/admin/migrate-fleet.ts";
import { type ComposeOptions, compose } from "../src/start/compose.ts";
import { startProvider } from "./support/deployment.ts";

const { positionals, values: flags } = parseArgs({ allowPositionals: true, options: { there: { type: "string" } } });
const AGENTS = Number(positionals[0] ?? 2000);
const PREFIX = flags.there ?? "agent";
const SEARCHES = 600;
const MEMORY_AGENTS = 500;
const WORKSPACE = "examples/workspace";
const QUERIES = [
  "why did we move the billing job off cron?",
  "who owns the release checklist",
  "ERR_CONNECTION_REFUSED",
  "what does Mina prefer for code review",
];

if (flags.there !== undefined) Object.assign(process.env, await startProvider(384));
const config = readConfig();
if (config.databaseUrl === undefined) throw new Error("Set DATABASE_URL.");
const url = config.databaseUrl;
const logger = createLogger("error");
const notes = readdirSync(WORKSPACE, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((path) => ({ path, content: readFileSync(join(WORKSPACE, path), "utf8") }));

async function start(options: Partial<ComposeOptions> = {}) {
  const runtime = await compose(config, { logger, worker: false, keyless: true, ...options });
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await runtime.app.request(path, init);
    const answer = (await response.json()) as T;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  return { runtime, call };
}

type Call = Awaited<ReturnType<typeof start>>["call"];
const idOf = (i: number) => `${PREFIX}-${String(i).padStart(5, "0")}`;
const search = (call: Call, agent: string, i: number) =>
  call<{ results: unknown[] }>("POST", `/v1/agents/${agent}/tools/memory_search`, {
    query: QUERIES[i % QUERIES.length],
  });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function percentiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`;
}

async function searchTimes(call: Call, agentOf: (i: number) => string, count = SEARCHES): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push(await timed(() => search(call, agentOf(i), i)));
  return times;
}

/** The seed of the random agents. The sequence is the same in every run. */
let seed = 42;
function randomAgent(): string {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return idOf(seed % AGENTS);
}

async function one<T>(db: Pick<Database, "executeSql">, sql: string): Promise<T> {
  const { rows } = await db.executeSql<T>(sql);
  return rows[0] as T;
}

/**
 * Creates the first agent and waits until its notes are embedded, so that the other agents find the
 * vectors in the cache.
 */
async function createFirst(): Promise<void> {
  const { runtime, call } = await start({ worker: true });
  await call("POST", "/v1/agents", { id: idOf(0) });
  await call("POST", `/v1/agents/${idOf(0)}/files`, { put: notes });
  for (;;) {
    const { pendingEmbeddings } = await call<{ pendingEmbeddings: number }>("GET", `/v1/agents/${idOf(0)}/status`);
    if (pendingEmbeddings === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await runtime.close();
}

async function createAll(call: Call): Promise<void> {
  const creations: number[] = [];
  const writes: number[] = [];
  for (let i = 1; i < AGENTS; i++) {
    creations.push(await timed(() => call("POST", "/v1/agents", { id: idOf(i) })));
    writes.push(await timed(() => call("POST", `/v1/agents/${idOf(i)}/files`, { put: notes })));
    if (i % 500 === 0) console.error(`${i} agents`);
  }
  const part = Math.min(200, Math.floor(creations.length / 2));
  console.log(`create an agent:            ${percentiles(creations)}`);
  console.log(`  the first ${part}:            ${percentiles(creations.slice(0, part))}`);
  console.log(`  the last ${part}:             ${percentiles(creations.slice(-part))}`);
  console.log(`write ${notes.length} notes to it:         ${percentiles(writes)}`);
}

async function catalogue(db: Database): Promise<void> {
  const { relations, catalog, whole } = await one<{ relations: number; catalog: string; whole: string }>(
    db,
    `SELECT (SELECT count(*)::int FROM pg_class) AS relations, pg_size_pretty(pg_database_size(current_database())) AS whole,
            (SELECT pg_size_pretty(sum(pg_total_relation_size(oid))) FROM pg_class
              WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r') AS catalog`,
  );
  console.log(`catalogue:                  ${relations} relations, ${catalog}; whole database ${whole}`);
}

/**
 * Sends all searches through one connection, whose caches then hold every agent that was searched.
 */
async function backendMemory(): Promise<void> {
  const db = openPostgres({ connectionString: url, maxConnections: 1, onIdleError: () => undefined });
  const { runtime, call } = await start({ database: db });
  const bytes = async () =>
    Number((await one<{ n: string }>(db, "SELECT sum(total_bytes) AS n FROM pg_backend_memory_contexts")).n);
  const sizes: string[] = [];
  for (const touched of [0, 100, MEMORY_AGENTS]) {
    for (let i = sizes.length === 1 ? 0 : 100; i < touched; i++) await search(call, idOf(i % AGENTS), i);
    sizes.push(`${((await bytes()) / 1e6).toFixed(1)} MB after ${touched}`);
  }
  console.log(`memory of one backend:      ${sizes.join(", ")} agents`);
  await runtime.close();
}

async function migrate(): Promise<void> {
  const known = loadAgentMigrations();
  const statements = ["ALTER TABLE :agent_schema.files ADD COLUMN IF NOT EXISTS bench_note text"];
  const next = { version: known.length + 1, name: "bench", breaking: false, statements };
  const began = performance.now();
  const { runtime, call } = await start({ worker: true, migrations: [...known, next] });
  const times: number[] = [];
  for (let i = 0; ; i++) {
    times.push(await timed(() => search(call, randomAgent(), i)));
    if (i % 50 > 0) continue;
    const { behind, failed } = await call<FleetStatus>("GET", "/v1/fleet");
    if (failed.length > 0) throw new Error(JSON.stringify(failed[0]));
    if (behind === 0) break;
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(`migrate the fleet:          ${seconds.toFixed(1)} s, ${(AGENTS / seconds).toFixed(0)} agents/s`);
  console.log(`  searches meanwhile (${times.length}): ${percentiles(times)}`);
  await runtime.close();
}

if (flags.there === undefined) {
  console.log(`${AGENTS} agents with ${notes.length} notes each`);
  await createFirst();
}
const began = performance.now();
const { runtime, call } = await start();
console.log(`start of a process:         ${(performance.now() - began).toFixed(0)} ms`);
await searchTimes(call, () => idOf(0), 100);
const alone = await searchTimes(call, () => idOf(0));
if (flags.there === undefined) await createAll(call);
await catalogue(runtime.deps.db);
await searchTimes(call, () => idOf(0), 100);
const same = await searchTimes(call, () => idOf(0));
const random = await searchTimes(call, randomAgent);
const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
console.log(`search, ${flags.there === undefined ? "the only agent" : "one agent"}:     ${percentiles(alone)}`);
console.log(`  the same among ${AGENTS}:     ${percentiles(same)}`);
console.log(`  a random one of them:     ${percentiles(random)}`);
console.log(`  ratio of the medians:     ${(median(random) / median(alone)).toFixed(2)}`);
await runtime.close();
await backendMemory();
await migrate();
process.exit();
