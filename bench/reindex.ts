// Searches while an agent's index is replaced: latency before, during and after, and whether any of them failed.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench node bench/reindex.ts [chunks, default 20000]
//
// As deployed: the API and the worker are processes of their own (`recollect serve --no-worker`, `recollect worker`), the
// provider another, and this one searches every 50 ms over HTTP, whether or not the one before has been answered. Vectors are
// of 1,536 dimensions, then of 768, clustered by topic. The database should be empty.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { noteOf } from "./support/fake-vectors.ts";

const CHUNKS = Number(process.argv[2] ?? 20_000);
const AGENT = "bench";
const INTERVAL_MS = 50;
const CHUNKS_PER_FILE = 4;
const FILES_PER_WRITE = 50;
const CLI = new URL("../src/start/cli.ts", import.meta.url).pathname;

const provider = fork(new URL("support/fake-provider.ts", import.meta.url), ["clustered"]);
const { url: providerUrl } = await new Promise<{ url: string }>((done) =>
  provider.once("message", (message) => done(message as { url: string })),
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const key = `rcl_${randomBytes(6).toString("hex")}_${randomBytes(24).toString("hex")}`;
const env = {
  ...process.env,
  RECOLLECT_ADMIN_KEY: key,
  RECOLLECT_REQUESTS_PER_MINUTE: "1000000",
  RECOLLECT_PROVIDER: "openai-compatible",
  RECOLLECT_BASE_URL: providerUrl,
  RECOLLECT_MODEL: "fake",
  RECOLLECT_OUTPUT_DIMENSIONALITY: "1536",
};

/** Starts a process of the service and waits for a line of its log. */
function start(args: string[], sign: RegExp): Promise<{ child: ChildProcess; match: RegExpMatchArray }> {
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => child.kill());
  let log = "";
  return new Promise((done, fail) => {
    const read = (part: Buffer) => {
      log += part;
      const match = log.match(sign);
      if (match) done({ child, match });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => fail(new Error(`recollect ${args.join(" ")} ended with ${code}.\n${log}`)));
  });
}

const api = await start(["serve", "--port", "0", "--no-worker"], /"url":"([^"]+)"/);
await start(["worker"], /"msg":"working"/);
const base = api.match[1] ?? "";

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init = { method, headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } };
  const response = await fetch(base + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

interface Status {
  chunks: number;
  pendingEmbeddings: number;
  jobs: Record<string, { waiting: number; active: number }>;
  reindex: { state: string };
}
const status = () => call<Status>("GET", `/v1/agents/${AGENT}/status`);
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Resolves when nothing is left to do for the agent. */
async function settled(): Promise<Status> {
  for (;;) {
    const now = await status();
    const busy = Object.values(now.jobs).some(({ waiting, active }) => waiting + active > 0);
    if (now.pendingEmbeddings === 0 && now.reindex.state === "none" && !busy) return now;
    await pause(500);
  }
}

const topics: string[] = [];
async function write(): Promise<void> {
  for (let batch = 0; batch * CHUNKS_PER_FILE * FILES_PER_WRITE < CHUNKS; batch++) {
    const put = Array.from({ length: FILES_PER_WRITE }, (_, i) => {
      const { topic, content } = noteOf(`${batch} ${i}`, CHUNKS_PER_FILE);
      topics.push(topic);
      return { path: `n${batch}-${i}.md`, content };
    });
    await call("POST", `/v1/agents/${AGENT}/files`, { put });
  }
}

interface Phase {
  ms: number[];
  failed: number;
  empty: number;
  /** Answered without the vector arm. */
  keywordOnly: number;
}

/** Searches at a fixed rate until `over` says so; every question names a topic that there are notes about. */
async function searchUntil(over: () => boolean): Promise<Phase> {
  const phase: Phase = { ms: [], failed: 0, empty: 0, keywordOnly: 0 };
  const search = async (i: number) => {
    const query = `What do we know about ${topics[(i * 7919) % topics.length]} and w${(2000 + i).toString(36)}?`;
    const began = performance.now();
    try {
      const answer = await call<{ results: unknown[]; mode?: string }>(
        "POST",
        `/v1/agents/${AGENT}/tools/memory_search`,
        { query },
      );
      if (answer.results.length === 0) phase.empty++;
      if (answer.mode !== "hybrid") phase.keywordOnly++;
    } catch {
      phase.failed++;
    }
    phase.ms.push(performance.now() - began);
  };
  const onTheirWay: Promise<void>[] = [];
  const from = performance.now();
  for (let i = 0; !over(); i++) {
    onTheirWay.push(search(i));
    await pause(Math.max(0, from + (i + 1) * INTERVAL_MS - performance.now()));
  }
  await Promise.all(onTheirWay);
  return phase;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

function report(name: string, { ms, failed, empty, keywordOnly }: Phase): void {
  const [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1].map((share) => percentile(ms, share).toFixed(1));
  console.log(
    `${name.padEnd(7)} ${ms.length} searches: p50 ${p50} p95 ${p95} p99 ${p99} max ${max} ms; ${failed} failed, ${empty} without hits, ${keywordOnly} by keyword only`,
  );
}

const inSeconds = (seconds: number) => {
  const until = performance.now() + seconds * 1000;
  return () => performance.now() > until;
};

await write();
const { chunks } = await settled();
console.log(`${chunks} chunks, 1536 dimensions, replaced by 768`);
await searchUntil(inSeconds(10));
const before = await searchUntil(inSeconds(20));
report("before", before);
const began = performance.now();
await call("PATCH", `/v1/agents/${AGENT}`, { settings: { outputDimensionality: 768 } });
await call("POST", `/v1/agents/${AGENT}/reindex`, {});
let done = false;
const finished = settled().then(() => {
  done = true;
});
const during = await searchUntil(() => done);
await finished;
report("during", during);
console.log(`        ${((performance.now() - began) / 1000).toFixed(1)} s from the change of settings to the last job`);
report("after", await searchUntil(inSeconds(20)));
const ratio = percentile(during.ms, 0.95) / percentile(before.ms, 0.95);
console.log(`p95 during / before: ${ratio.toFixed(2)}`);
process.exit();
