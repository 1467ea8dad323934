// Compares recall with memory_search on an agent with many chunks and few facts: latency, and
// whether the right fact comes back.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/recall.ts [chunks, default 20000] [facts, default 2000]
//
// Runs in one process with an embedder that takes no time, so that only our own code is measured.
// Vectors have 384 dimensions and cluster by topic. Every question is asked once, searches and
// recalls in turn. The database should be empty.
import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import type { Embedder } from "../src/embeddings/embedder.ts";
import type { AgentStatus } from "../src/service/admin/agent-status.ts";
import type { RecallOutput } from "../src/service/search/recall-memory.ts";
import { compose } from "../src/start/compose.ts";
import { noteOf, vectorOf } from "./support/fake-vectors.ts";

const [CHUNKS, FACTS] = [Number(process.argv[2] ?? 20_000), Number(process.argv[3] ?? 2000)];
const QUESTIONS = 400;
const WARM_UP = 40;
const CHUNKS_PER_FILE = 4;
const FILES_PER_WRITE = 100;
const FACTS_PER_WRITE = 50;

/** Returns the subject of a text. A question gets the vector of the fact with the same subject. */
const subjectOf = (text: string) => /\bsubject s\d+\b/.exec(text)?.[0];
const embedder: Embedder = {
  provider: "bench",
  model: "fake",
  dimensions: 384,
  providerKey: "bench",
  maxBatchTexts: 500,
  maxInputTokens: 8191,
  embed: async (texts) => texts.map((text) => vectorOf(subjectOf(text) ?? text, 384)),
  close: async () => undefined,
};

const config = readConfig();
if (config.databaseUrl === undefined) throw new Error("Set DATABASE_URL.");
const logger = createLogger("error");
const runtime = await compose(config, { logger, worker: true, keyless: true, embedder: async () => embedder });

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await runtime.app.request(`/v1/agents/main/${path}`, init);
  const answer = (await response.json()) as T;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

async function settled(): Promise<AgentStatus> {
  for (;;) {
    const now = await call<AgentStatus>("GET", "status");
    const busy = Object.values(now.jobs).some(({ waiting, active }) => waiting + active > 0);
    if (now.pendingEmbeddings === 0 && !busy) return now;
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** Returns the text of a fact: words that are common in the notes, and a unique subject. */
const factOf = (n: number) => `w${(n % 50).toString(36)} w${(n % 7).toString(36)} wants subject s${n} done by day ${n}`;

for (let batch = 0; batch * CHUNKS_PER_FILE * FILES_PER_WRITE < CHUNKS; batch++) {
  const put = Array.from({ length: FILES_PER_WRITE }, (_, i) => ({
    path: `n${batch}-${i}.md`,
    content: noteOf(`${batch} ${i}`, CHUNKS_PER_FILE).content,
  }));
  await call("POST", "files", { put });
}
const began = performance.now();
for (let from = 0; from < FACTS; from += FACTS_PER_WRITE) {
  const facts = Array.from({ length: FACTS_PER_WRITE }, (_, i) => ({ text: factOf(from + i) }));
  await call("POST", "facts", { facts });
}
const writes = FACTS / FACTS_PER_WRITE;
console.log(
  `storing ${FACTS_PER_WRITE} facts: ${((performance.now() - began) / writes).toFixed(0)} ms a request on average`,
);
const { chunks, vector } = await settled();
console.log(`${chunks} chunks, ${FACTS} of them facts, vector index ${vector.index}`);

const times = { memory_search: [] as number[], recall: [] as number[], "facts/search": [] as number[] };
async function timed<T>(kind: keyof typeof times, path: string, body: object, counted: boolean): Promise<T> {
  const start = performance.now();
  const answer = await call<T>("POST", path, body);
  if (counted) times[kind].push(performance.now() - start);
  return answer;
}

let right = 0;
for (let i = -WARM_UP; i < QUESTIONS; i++) {
  const n = ((i + WARM_UP) * 7919) % FACTS;
  const question = `Who wants subject s${n} done, w${(n % 50).toString(36)} or w3 ${i}?`;
  await timed("memory_search", "tools/memory_search", { query: `${question} `, corpus: "memory" }, i >= 0);
  const recalled = await timed<RecallOutput>("recall", "recall", { message: `${question}  ` }, i >= 0);
  await timed("facts/search", "facts/search", { query: question }, i >= 0);
  if (i >= 0 && recalled.facts[0]?.text === factOf(n)) right++;
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
for (const [name, values] of Object.entries(times)) {
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) => percentile(values, share).toFixed(1));
  console.log(`${name.padEnd(14)} p50 ${p50} p95 ${p95} max ${max} ms`);
}
const ratio = percentile(times.recall, 0.95) / percentile(times.memory_search, 0.95);
console.log(
  `recall p95 is ${ratio.toFixed(2)} of memory_search's; the right fact came first ${right} of ${QUESTIONS} times`,
);
await runtime.close();
