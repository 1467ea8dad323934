// Measures how fast an archive with vectors becomes an agent.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/import.ts [chunks, default 20000] [imports, default 3] [--json]
//
// Runs as deployed: API, worker and provider are separate processes. An agent is filled once with
// the notes of bench/search.ts and exported with its vectors. Each import of that archive makes a
// new agent, and its figures are those until the answer, when all texts and vectors are stored. CPU
// is in milliseconds a chunk. The provider is not asked: an import that embeds anything again ends
// the benchmark.
import { parseArgs } from "node:util";
import { startCpu } from "./support/cpu.ts";
import { deploy, fill } from "./support/deployment.ts";
import { printRows } from "./support/figures.ts";

const { positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const CHUNKS = Number(positionals[0] ?? 20_000);
const IMPORTS = Number(positionals[1] ?? 3);

interface Imported {
  chunks: number;
  pendingEmbeddings: number;
}

const service = await deploy(384);
const source = `import-source-${CHUNKS}`;
await fill(service, source, CHUNKS);
const { chunks } = await service.status(source);
const headers = { authorization: `Bearer ${service.key}` };
const archive = await (await fetch(`${service.url}/v1/agents/${source}/archive?vectors=true`, { headers })).bytes();
const rows = [];
for (let i = 0; i < IMPORTS; i++) {
  const id = `import-${Date.now().toString(36)}`;
  const cpu = startCpu(service.api.pid, process.env.DATABASE_URL ?? "");
  const began = performance.now();
  const answer = await fetch(`${service.url}/v1/archives?as=${id}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/gzip" },
    body: archive,
  });
  const seconds = (performance.now() - began) / 1000;
  if (!answer.ok) throw new Error(`The import failed: ${await answer.text()}`);
  const { pendingEmbeddings } = (await answer.json()) as Imported;
  if (pendingEmbeddings > 0) throw new Error(`${pendingEmbeddings} vectors did not come with the archive.`);
  const used = cpu(chunks);
  rows.push({
    import: i + 1,
    s: seconds,
    "chunks a second": chunks / seconds,
    "CPU of API": used.process,
    "of Postgres": used.postgres,
  });
  await service.settled(id);
  await service.call("DELETE", `/v1/agents/${id}`);
}
printRows(`${chunks} chunks, an archive of ${(archive.length / 1e6).toFixed(0)} MB`, rows);
process.exit();
