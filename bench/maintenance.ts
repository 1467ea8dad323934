// Measures what the maintenance job spends on learning about the vectors of a growing index: how
// their cosines vary (`measureCosines`), and how well the model tells the index's texts apart
// (`fitSeparation`).
//
//   [DATABASE_URL=postgres://…] node bench/maintenance.ts <folder of Markdown>
//     [chunks, default 1250,2500,5000,10000] [--json]
//
// The service's functions run in this process; without a URL on PGlite in memory. Chunks get
// vectors that cost nothing. Texts that the measurement itself embeds are embedded by the built-in
// model of the settings (RECOLLECT_MODEL), with the cache that the earlier steps have filled, as
// when an index doubles. ms is the elapsed time; CPU is the processor time of this process with the
// model's threads.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "../src/base/logger.ts";
import { clientOf } from "../src/cli/shell/connected.ts";
import { readConfig } from "../src/config/config.ts";
import { measureCosines, noteCosines } from "../src/db/agent/chunks/vectors.ts";
import { withAgentReads, withAgentTransaction } from "../src/db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../src/db/agent/schema/generation-tables.ts";
import { activeGeneration } from "../src/db/agent/schema/generations.ts";
import { DEFAULT_TENANT_ID } from "../src/db/control/tenants.ts";
import { openPglite } from "../src/db/pglite.ts";
import { type Embedder, withEmbed } from "../src/embeddings/embedder.ts";
import { findKnownAgent } from "../src/service/agent/find-agent.ts";
import { embedPending } from "../src/service/indexing/embed-pending.ts";
import { maintainIndex } from "../src/service/indexing/maintain-index.ts";
import { fitSeparation } from "../src/service/indexing/measure-separation.ts";
import { compose } from "../src/start/compose.ts";
import { embedderOpener } from "../src/wiring/open-embedder.ts";
import { vectorOf } from "./support/fake-vectors.ts";
import { printRows } from "./support/figures.ts";

const { positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const [folder, sizes = "1250,2500,5000,10000"] = positionals;
if (!folder) throw new Error("Name a folder: node bench/maintenance.ts <folder of Markdown>");
const FILES_PER_WRITE = 50;
const AGENT = `maintenance-${Date.now().toString(36)}`;
const CALLER = { tenantId: DEFAULT_TENANT_ID, actor: "system", scopes: ["admin"] as const };

/** Whether embedding calls belong to the measurement, and therefore ask the model. */
let measuring = false;
const embedded = { texts: 0 };
function sparing(embedder: Embedder): Embedder {
  return withEmbed(embedder, async (texts, ...rest) => {
    if (!measuring) return texts.map((text) => vectorOf(text, embedder.dimensions));
    embedded.texts += texts.length;
    return embedder.embed(texts, ...rest);
  });
}

const config = readConfig();
const logger = createLogger("warn");
const open = embedderOpener(config, logger);
const runtime = await compose(config, {
  logger,
  worker: false,
  keyless: true,
  ...(config.databaseUrl === undefined ? { database: await openPglite() } : {}),
  embedder: async (settings) => {
    const embedder = await open(settings);
    return embedder && sparing(embedder);
  },
});
const client = clientOf({
  fetch: async (path, init) => runtime.app.request(path, init),
  description: "in this process",
});
await client.agents.create({ id: AGENT, settings: { provider: "builtin" } });
const memory = client.agent(AGENT);
const agent = await findKnownAgent(runtime.deps, CALLER, "agent:write", AGENT);
if (!agent) throw new Error("The agent is not there.");

const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .sort()
  .map((path) => ({ path, content: readFileSync(join(folder, path), "utf8") }));
// Loads the model now, because a process loads it once, not once a measurement.
await (await open(agent.settings))?.embed(["A text."], "query");

/** Writes files until the agent has `chunks` chunks, and gives each chunk a vector. */
async function growTo(chunks: number): Promise<number> {
  let there = (await memory.status()).chunks;
  while (there < chunks && files.length > 0) {
    await memory.files.write({ put: files.splice(0, FILES_PER_WRITE) });
    there = (await memory.status()).chunks;
  }
  while ((await memory.status()).pendingEmbeddings > 0)
    await embedPending(runtime.deps, CALLER, AGENT, new AbortController().signal);
  return there;
}

async function timed(work: () => Promise<unknown>): Promise<{ ms: number; cpu: number }> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - began, cpu: (user + system) / 1000 };
}

async function measureDeviation(): Promise<void> {
  if (!agent) return;
  const generation = await withAgentReads(runtime.deps.db, agent, (tx) => activeGeneration(tx, agent.schema));
  if (!generation || generation.dimensions === null) return;
  const { id: generationId, dimensions } = generation;
  const table = vectorTable(agent.schema, generation, dimensions);
  const measured = await withAgentReads(runtime.deps.db, agent, (tx) => measureCosines(tx, table));
  await withAgentTransaction(runtime.deps.db, agent, (tx) => noteCosines(tx, agent.schema, generationId, measured));
}

const rows: Record<string, string | number>[] = [];
const sum = { ms: 0, cpu: 0, texts: 0 };
for (const size of sizes.split(",").map(Number)) {
  const chunks = await growTo(size);
  measuring = true;
  embedded.texts = 0;
  const deviation = await timed(measureDeviation);
  const separation = await timed(() => fitSeparation(runtime.deps, agent));
  const rest = await timed(() => maintainIndex(runtime.deps, CALLER, AGENT));
  measuring = false;
  sum.ms += deviation.ms + separation.ms;
  sum.cpu += deviation.cpu + separation.cpu;
  sum.texts += embedded.texts;
  rows.push({
    chunks: String(chunks),
    "deviation ms": deviation.ms,
    "separation ms": separation.ms,
    "texts embedded": embedded.texts,
    "both, CPU ms": deviation.cpu + separation.cpu,
    "rest of the job ms": rest.ms,
  });
}
printRows(`the job's measurements of ${(await open(agent.settings))?.model}, an index that grows`, rows);
console.log(`together ${sum.ms.toFixed(0)} ms, ${sum.cpu.toFixed(0)} ms of processor, ${sum.texts} texts`);
await client.agents.erase(AGENT);
await runtime.close();
process.exit();
