// Measures searches while an agent's index is replaced: latency before, during and after, and
// whether any search failed.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/reindex.ts [chunks, default 20000]
//
// Runs as deployed: the API, the worker and the provider are separate processes (`recollect serve
// --no-worker`, `recollect worker`). This process searches every 50 ms over HTTP, whether or not
// the previous search has been answered. Vectors have 1,536 dimensions, then 768, and are clustered
// by topic. The database should be empty.
import { deploy, fill } from "./support/deployment.ts";

const CHUNKS = Number(process.argv[2] ?? 20_000);
const AGENT = "bench";
const INTERVAL_MS = 50;

const service = await deploy(1536);
const { call } = service;
const topics = await fill(service, AGENT, CHUNKS);
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

interface Phase {
  ms: number[];
  failed: number;
  empty: number;
  /** The number of answers without the vector arm. */
  keywordOnly: number;
}

/**
 * Searches at a fixed rate until `over` returns true. Every question names a topic that some notes
 * are about.
 */
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

const { chunks } = await service.settled(AGENT);
console.log(`${chunks} chunks, 1536 dimensions, replaced by 768`);
await searchUntil(inSeconds(10));
const before = await searchUntil(inSeconds(20));
report("before", before);
const began = performance.now();
await call("PATCH", `/v1/agents/${AGENT}`, { settings: { outputDimensionality: 768 } });
await call("POST", `/v1/agents/${AGENT}/reindex`, {});
let done = false;
const finished = service.settled(AGENT).then(() => {
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
