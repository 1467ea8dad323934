// Measures how long branching an agent takes, and how much it slows searches and writes of the
// origin meanwhile.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/branch.ts [chunks, default 100000] [--json]
//
// Runs as deployed: the API, the worker (which copies) and the provider are separate processes;
// this process sends the requests. Searches and writes are sent one after the other, before the
// branch is made and while it is copied. The chunks that still wait for an embedding in the branch
// were written to the origin just before.
import { parseArgs } from "node:util";
import { deploy, fill } from "./support/deployment.ts";
import { percentile, printRows } from "./support/figures.ts";

const { positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const CHUNKS = Number(positionals[0] ?? 100_000);
const CALM_MS = 10_000;
const MAX_MS = 600_000;

interface Branch {
  state: string;
  copied: number;
  total: number;
}

const service = await deploy(384);
const { call } = service;
const origin = `origin-${CHUNKS}`;
const branch = `branch-${Date.now()}`;
const topics = await fill(service, origin, CHUNKS);
let asked = 0;
let written = 0;
/** Sends searches and writes in turn until `isOver` returns true. */
async function traffic(isOver: () => Promise<boolean>): Promise<{ search: number[]; write: number[] }> {
  const times = { search: [] as number[], write: [] as number[] };
  const time = async (kind: keyof typeof times, work: Promise<unknown>) => {
    const began = performance.now();
    await work;
    times[kind].push(performance.now() - began);
  };
  while (!(await isOver())) {
    const query = `What of ${topics[(asked * 7919) % topics.length]} was decided?`;
    const body = { query, minScore: ++asked * 1e-9 };
    await time("search", call("POST", `/v1/agents/${origin}/tools/memory_search`, body));
    const put = [{ path: `traffic/${written++ % 100}.md`, content: `A note of round ${written}.` }];
    await time("write", call("POST", `/v1/agents/${origin}/files`, { put }));
  }
  return times;
}

const calmUntil = performance.now() + CALM_MS;
await traffic(async () => performance.now() > calmUntil);
const measuredUntil = performance.now() + CALM_MS;
const calm = await traffic(async () => performance.now() > measuredUntil);
const began = performance.now();
await call("POST", `/v1/agents/${origin}/branches`, { as: branch });
const meanwhile = await traffic(async () => {
  if (performance.now() - began > MAX_MS) throw new Error("The branch is not made.");
  return (await call<Branch>("GET", `/v1/agents/${branch}/branch`)).state === "ready";
});
const seconds = (performance.now() - began) / 1000;
const { chunks, pendingEmbeddings } = await service.status(branch);
const indexing = performance.now();
await service.settled(branch);
const indexed = (performance.now() - indexing) / 1000;
const { totals } = await call<{ totals: { texts: number } }>("GET", `/v1/usage/embeddings?agentId=${branch}`);
printRows(`a branch of ${CHUNKS} chunks`, [
  {
    chunks,
    "ready after s": seconds,
    "indexed after further s": indexed,
    "pending when ready": pendingEmbeddings,
    "texts embedded": totals.texts,
  },
]);
const rows = [
  ["before", calm],
  ["while it is copied", meanwhile],
] as const;
printRows(
  "searches and writes of the origin, ms",
  rows.flatMap(([when, times]) =>
    (["search", "write"] as const).map((kind) => ({
      when,
      what: kind,
      requests: times[kind].length,
      p50: percentile(times[kind], 0.5),
      p95: percentile(times[kind], 0.95),
      max: Math.max(...times[kind]),
    })),
  ),
);
await call("DELETE", `/v1/agents/${branch}`);
process.exit();
