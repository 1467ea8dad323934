// Measures the cost of an acknowledged write of a 4 KB note: in a transaction, durable, and found
// by keyword from then on.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/write.ts [writes a row, default 1000] [--agents 8] [--json]
//
// Runs as deployed: API, worker and provider are separate processes. The worker embeds the notes
// meanwhile; the provider sends vectors that it made beforehand. The clients' notes go to
// `--agents` agents in turn, by default to one. The yardstick is the INSERTs of the file, its
// chunks and its vector rows alone, prepared beforehand, with one transaction per file and at most
// as many connections as the service has. Afterwards some of the notes are searched by a word that
// only they have: `found` must be all of them. CPU is in milliseconds a write.
import { parseArgs } from "node:util";
import { insertChunks } from "../src/db/agent/chunks/insert-chunks.ts";
import { type FileWrite, upsertFiles } from "../src/db/agent/files/files.ts";
import { schemaName } from "../src/db/agent/schema/schema-name.ts";
import { openPostgres } from "../src/db/pg.ts";
import prepareFile from "../src/service/files/prepare-file.worker.ts";
import { startCpu } from "./support/cpu.ts";
import { deploy } from "./support/deployment.ts";
import { noteOf } from "./support/fake-vectors.ts";
import { measure, printRows } from "./support/figures.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { agents: { type: "string", default: "1" }, json: { type: "boolean" } },
});
const WRITES = Number(positionals[0] ?? 1000);
const AGENTS = Number(flags.agents);
const NOTE_CHARS = 4096;
const DIMENSIONS = 384;
const POOL = 10;
const CHECKED = 20;

const connectionString = process.env.DATABASE_URL ?? "";
const service = await deploy(DIMENSIONS, { provider: "instant" });
const run = Date.now().toString(36);
const agentOf = (i: number) => `write-${run}-${i % AGENTS}`;
/**
 * An agent for the yardstick only: rows inserted there have no job, and the next write to the agent
 * would have to process them.
 */
const yardstick = `insert-${run}`;
const uniqueWord = (i: number) => `q${run}x${i}`;
const note = (i: number) => `${uniqueWord(i)} ${noteOf(`${run} ${i}`, 4).content}`.slice(0, NOTE_CHARS);
let written = 0;

/** Writes notes through HTTP. The notes are made before the clock starts. */
async function throughHttp(clients: number, writes: number) {
  const first = written;
  written += writes;
  const notes = Array.from({ length: writes }, (_, i) => note(first + i));
  const write = (i: number) =>
    service.call("PUT", `/v1/agents/${agentOf(i)}/files/n${first + i}.md`, { content: notes[i] ?? "" });
  const cpu = startCpu(service.api.pid, connectionString);
  const { perSecond, ...figures } = await measure(clients, writes, write);
  const used = cpu(writes);
  return {
    first,
    row: { ...figures, "a second": perSecond, "CPU of API": used.process, "of Postgres": used.postgres },
  };
}

/** Returns how many of some notes are found by their unique word. */
async function found(first: number, writes: number): Promise<string> {
  let hits = 0;
  for (let n = 0; n < CHECKED; n++) {
    const i = Math.floor((n * writes) / CHECKED);
    const search = { query: uniqueWord(first + i), maxResults: 10 };
    const { results } = await service.call<{ results: { path: string }[] }>(
      "POST",
      `/v1/agents/${agentOf(i)}/tools/memory_search`,
      search,
    );
    if (results.some(({ path }) => path === `n${first + i}.md`)) hits++;
  }
  return `${hits} of ${CHECKED}`;
}

const db = openPostgres({ connectionString, maxConnections: POOL, onIdleError: () => undefined });
async function bareInserts(clients: number, writes: number) {
  const { rows } = await db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
    [yardstick],
  );
  const schema = schemaName(rows[0]?.schema ?? "");
  const first = written;
  written += writes;
  const now = new Date();
  const prepared = Array.from({ length: writes }, (_, i) => {
    const content = note(first + i);
    const { chunks, ...file } = prepareFile({ content, tokens: 400, overlap: 80, headings: true });
    return {
      chunks,
      file: {
        path: `n${first + i}.md`,
        content,
        mtime: now,
        origin: null,
        original: null,
        by: "bench",
        ...file,
      } satisfies FileWrite,
    };
  });
  const { perSecond, ...figures } = await measure(clients, writes, (i) =>
    db.transaction(async (tx) => {
      const { file, chunks } = prepared[i] ?? { file: prepared[0]?.file as FileWrite, chunks: [] };
      const stored = await upsertFiles(tx, schema, [file], { generationId: 1, now });
      const owner = { fileId: stored[0]?.id ?? "" };
      const places = chunks.map((chunk) => ({ ...chunk, owner, firstMessage: null, lastMessage: null }));
      await insertChunks(
        tx,
        schema,
        {
          id: 1,
          language: "english",
          followsText: false,
          languages: ["english"],
          dimensions: DIMENSIONS,
          halfVectors: true,
        },
        places,
        new Map(),
      );
    }),
  );
  return { ...figures, "a second": perSecond };
}

for (const id of [yardstick, ...Array.from({ length: AGENTS }, (_, i) => agentOf(i))])
  await service.call("POST", "/v1/agents", { id });
await throughHttp(8, 100);
await bareInserts(1, 50);
const table: Record<string, string | number | undefined>[] = [];
for (const clients of [1, 8, 32]) {
  const writes = Math.max(WRITES, clients * 12);
  table.push({ what: `INSERTs, ${clients}`, ...(await bareInserts(clients, writes)) });
  const { first, row } = await throughHttp(clients, writes);
  table.push({ what: `acknowledged, ${clients}`, ...row, found: await found(first, writes) });
}
printRows(`4 KB notes to ${AGENTS} agents, ms`, table);
await db.close();
process.exit();
