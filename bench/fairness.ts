/**
 * How long a tenant's single file waits for its embedding while another tenant has much to do.
 *
 *   DATABASE_URL=postgres://…/bench node bench/fairness.ts [chunks]
 *
 * The database should be empty. One process has the API and the worker; the provider is a fake that answers 100 texts in
 * 150 ms. A measurement is the time from sending a file of one chunk until no chunk of its agent waits.
 */
import { createHash } from "node:crypto";
import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import { openPostgres } from "../src/db/pg.ts";
import type { Embedder } from "../src/embeddings/embedder.ts";
import { compose } from "../src/start/compose.ts";

const CHUNKS = Number(process.argv[2] ?? 50_000);
const CHUNKS_PER_FILE = 250;
const AGENTS = 20;
const FILES = 10;
const LATENCY_MS = 150;
const DIMENSIONS = 256;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const embedder: Embedder = {
  provider: "fake",
  model: "fake",
  dimensions: DIMENSIONS,
  providerKey: "fake",
  maxBatchTexts: 100,
  maxInputTokens: 8191,
  embed: async (texts) => {
    await sleep(LATENCY_MS);
    return texts.map((text) => {
      const digest = createHash("sha512").update(text).digest();
      const vector = Float32Array.from({ length: DIMENSIONS }, (_, i) => (digest[i % 64] ?? 0) - 127.5 + i / 1000);
      const norm = Math.hypot(...vector);
      return vector.map((x) => x / norm);
    });
  },
  close: async () => undefined,
};

const config = readConfig({ ...process.env, RECOLLECT_REQUESTS_PER_MINUTE: "1000000" });
if (config.databaseUrl === undefined) throw new Error("Set DATABASE_URL.");
const logger = createLogger("error");
const options = { logger, keyless: true, embedder: async () => embedder };
const api = await compose(config, { ...options, worker: false });
const db = openPostgres({ connectionString: config.databaseUrl, maxConnections: 2, onIdleError: () => undefined });

async function call<T>(method: string, path: string, body?: unknown, tenant?: string): Promise<T> {
  const headers = { "content-type": "application/json", ...(tenant ? { "recollect-tenant": tenant } : {}) };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await api.app.request(path, init);
  const answer = (await response.json()) as T;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

const tenant = async (name: string) => (await call<{ id: string }>("POST", "/v1/tenants", { name })).id;
const small = await tenant(`small-${Date.now()}`);
const big = await tenant(`big-${Date.now()}`);
const settings = { chunking: { tokens: 64, overlap: 0 } };
let serial = 0;
/** Sections that fill a chunk each. */
const document = (chunks: number) =>
  Array.from({ length: chunks }, () => `# Part ${++serial}\n\n${`Matter ${serial} has its words. `.repeat(8)}\n`).join(
    "\n",
  );

/** Gives an agent of the big tenant so many chunks to be embedded. */
async function load(agent: string, chunks: number): Promise<void> {
  await call("POST", "/v1/agents", { id: agent, settings }, big);
  for (let sent = 0; sent < chunks; sent += CHUNKS_PER_FILE * 2) {
    const put = Array.from({ length: 2 }, (_, i) => ({
      path: `f${sent / CHUNKS_PER_FILE + i}.md`,
      content: document(CHUNKS_PER_FILE),
    }));
    await call("POST", `/v1/agents/${agent}/files`, { put }, big);
  }
}

const schemas = new Map<string, string>();
async function pending(agent: string, of: string): Promise<number> {
  const key = `${of}:${agent}`;
  const known = schemas.get(key);
  if (known === undefined) {
    const { rows } = await db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE tenant_id = $1 AND id = $2",
      [of, agent],
    );
    schemas.set(key, rows[0]?.schema ?? "");
    return pending(agent, of);
  }
  const generations = await db.executeSql<{ id: number }>(
    `SELECT id FROM ${known}.generations WHERE status IN ('active', 'building')`,
  );
  let sum = 0;
  for (const { id } of generations.rows) {
    const { rows } = await db.executeSql<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${known}.vectors_${id} WHERE embedding IS NULL`,
    );
    sum += rows[0]?.count ?? 0;
  }
  return sum;
}

/** Sends single files of the small tenant, one after the other. */
async function measure(what: string, left: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  const before = await left();
  const began = performance.now();
  for (let i = 0; i < FILES; i++) {
    const content = `A single note, number ${++serial}.`;
    const started = performance.now();
    await call("PUT", "/v1/agents/main/files/note.md", { content }, small);
    while ((await pending("main", small)) > 0) await sleep(10);
    times.push(Math.round(performance.now() - started));
    // At another point of the turns each time.
    await sleep(300 + 137 * i);
  }
  const after = await left();
  const sorted = times.toSorted((a, b) => a - b);
  const rate = Math.round((before - after) / ((performance.now() - began) / 1000));
  const backlog = before === 0 ? "" : `; ${before} chunks pending before, ${after} after, ${rate} a second`;
  console.log(`${what}: median ${sorted[FILES / 2]} ms, max ${sorted.at(-1)} ms${backlog}`);
}

const none = async () => 0;
const drained = async (agents: string[]) => {
  for (const agent of agents) while ((await pending(agent, big)) > 0) await sleep(500);
};

let worker = await compose(config, { ...options, worker: true });
await measure("nobody else", none);
await worker.close();

await load("one", CHUNKS);
worker = await compose(config, { ...options, worker: true });
await measure(`an agent with ${CHUNKS} chunks to embed`, () => pending("one", big));
await drained(["one"]);

await call("PATCH", "/v1/agents/one", { settings: { chunking: { tokens: 100, overlap: 10 } } }, big);
await measure(`that agent's reindex`, () => pending("one", big));

const many = Array.from({ length: AGENTS }, (_, i) => `many-${i}`);
await Promise.all(many.map((agent) => load(agent, CHUNKS / AGENTS)));
const sum = async () => (await Promise.all(many.map((agent) => pending(agent, big)))).reduce((a, b) => a + b, 0);
await measure(`that and ${AGENTS} agents with ${CHUNKS / AGENTS} chunks each`, sum);
await worker.close();
await api.close();
await db.close();
