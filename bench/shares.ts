// Measures the cost of searching shared memories: one memory alone, and one together with one and
// with three memories that others share with it.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/shares.ts [chunks of each memory, default 10000] [--json]
//
// Runs as deployed: the API and the provider are separate processes; this process sends the
// requests. Six agents have notes of their own: `alone` reads only its own, `one` also reads the
// notes of one sharer, `three` the notes of three. Query embeddings are cached (each question is
// asked once before). Answers are not: no two searches have the same `minScore`, by a billionth.
// The cases are asked in turn, round by round, so that a busy machine slows all of them.
import { parseArgs } from "node:util";
import { deploy, fill } from "./support/deployment.ts";
import { percentile, printRows } from "./support/figures.ts";

const { positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const CHUNKS = Number(positionals[0] ?? 10_000);
const QUESTIONS = 200;
const SHARERS = ["shared-1", "shared-2", "shared-3"];

const service = await deploy(384);
const { call } = service;
const word = (n: number) => `w${n.toString(36)}`;

// Each agent gets other notes: equal texts are shown once, and a search that finds many equal texts
// is run twice.
const topics = new Map<string, string[]>();
for (const agent of ["alone", "one", "three", ...SHARERS])
  topics.set(agent, await fill(service, agent, CHUNKS, `${agent} `));
for (const [reader, sharers] of [
  ["one", SHARERS.slice(0, 1)],
  ["three", SHARERS],
] as const)
  for (const sharer of sharers) {
    await call("PUT", `/v1/agents/${sharer}/shares/${reader}`, {});
    await call("PUT", `/v1/agents/${reader}/reads/${sharer}`, {});
  }
/** Returns a question about the agent's own notes. */
const questionOf = (agent: string, i: number) => {
  const own = topics.get(agent) ?? [];
  return `What of ${own[(i * 7919) % own.length]} with ${word(i % 40)} and ${word(2000 + i)} was decided?`;
};

let asked = 0;
const ask = async (agent: string, i: number) => {
  const query = questionOf(agent, i);
  const began = performance.now();
  await call("POST", `/v1/agents/${agent}/tools/memory_search`, { query, minScore: ++asked * 1e-9 });
  return performance.now() - began;
};
const CASES = { "no other": "alone", "one other": "one", "three others": "three" };
for (const agent of Object.values(CASES)) for (let i = 0; i < QUESTIONS; i++) await ask(agent, i);
const times = new Map<string, number[]>(Object.keys(CASES).map((name) => [name, []]));
for (let round = 0; round < 3; round++)
  for (let i = 0; i < QUESTIONS; i++)
    for (const [name, agent] of Object.entries(CASES)) times.get(name)?.push(await ask(agent, i));
const rows = [...times].map(([name, ms]) => ({
  "reads besides its own": name,
  p50: percentile(ms, 0.5),
  p95: percentile(ms, 0.95),
  "p50 of alone": percentile(ms, 0.5) / percentile(times.get("no other") ?? [], 0.5),
}));
printRows(`search with shared memories of ${CHUNKS} chunks each, ms`, rows);
process.exit();
