// Compares an agent with a large knowledge base with an agent of a tenth of its size: filling,
// searching, writing, and replacing a part.
//
//   DATABASE_URL=postgres://recollect:…@localhost/bench
//     node bench/large-agent.ts [chunks, default 1000000] [--json]
//
// Runs as deployed, with the notes, vectors and questions of bench/search.ts. Agents that an
// earlier run has filled are measured unchanged, without timing their import. The import sends
// requests of 50 files of 4 chunks from 4 clients. `first search` is the first of an API process
// that has just started. `recall@10` is the share of the nearest chunks of an exact scan that the
// index finds. `BM25` counts the hits of the keyword arm by posting lists whose score equals the
// score from the SQL that reads keyword vectors. At last one client replaces a tenth of the files.
import { parseArgs } from "node:util";
import { keywordCandidates } from "../src/db/agent/candidates/keyword-search.ts";
import { vectorCandidates } from "../src/db/agent/candidates/vector-search.ts";
import { type SchemaName, schemaName } from "../src/db/agent/schema/schema-name.ts";
import { createSegmentCache } from "../src/db/agent/segments/segments.ts";
import { openPostgres } from "../src/db/pg.ts";
import { encodeVector } from "../src/db/vector-codec.ts";
import { analyzeQuery } from "../src/relevance/words/analyze.ts";
import { residentBytes, startCpu } from "./support/cpu.ts";
import { callerOf, type Deployment, deploy, notesFor } from "./support/deployment.ts";
import { vectorOf } from "./support/fake-vectors.ts";
import { figuresOf, printRows, timed } from "./support/figures.ts";
import { scanAsServed } from "./support/scan-as-served.ts";

const { positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const CHUNKS = Number(positionals[0] ?? 1_000_000);
const SIZES = [CHUNKS / 10, CHUNKS];
const DIMENSIONS = 384;
const QUESTIONS = 200;
const COMPARED = 20;
const CANDIDATES = 24;
const WRITES = 200;
const IMPORTING = 4;

type Row = Record<string, string | number | undefined>;

const connectionString = process.env.DATABASE_URL ?? "";
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });
const service = await deploy(DIMENSIONS);
const topics = new Map<number, string[]>();

const agentOf = (chunks: number) => `hybrid-${chunks}`;
const pathOf = (chunks: number) => `/v1/agents/${agentOf(chunks)}`;
const word = (n: number) => `w${n.toString(36)}`;
const mb = (bytes: number | undefined) => `${((bytes ?? 0) / 1e6).toFixed(0)} MB`;
let asked = 0;

function questionOf(chunks: number, i: number): string {
  const known = topics.get(chunks) ?? [];
  return `What of ${known[(i * 7919) % known.length]} with ${word(i % 40)} and ${word(40 + (i % 300))} or ${word(2000 + (i % QUESTIONS))} was decided?`;
}

/**
 * Searches with a slightly different `minScore` each time, so that no answer comes from the cache.
 */
function search(chunks: number, i: number, more: object = {}, call: Deployment["call"] = service.call) {
  const body = { query: questionOf(chunks, i), minScore: 0.35 + 1e-9 * asked++, ...more };
  return call("POST", `${pathOf(chunks)}/tools/memory_search`, body);
}

async function fill(chunks: number): Promise<Row | undefined> {
  const agent = agentOf(chunks);
  const { topics: known, requests, request } = notesFor(chunks);
  topics.set(chunks, known);
  const there = await service.status(agent).catch(() => undefined);
  if (there && there.chunks >= chunks) return undefined;
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  let [workerPeak, apiPeak] = [0, 0];
  const watching = setInterval(() => {
    workerPeak = Math.max(workerPeak, residentBytes(service.worker.pid) ?? 0);
    apiPeak = Math.max(apiPeak, residentBytes(service.api.pid) ?? 0);
  }, 1000);
  await timed(IMPORTING, requests, (batch) =>
    service.call("POST", `/v1/agents/${agent}/files`, { put: request(batch) }),
  );
  const written = seconds();
  const until = async (isSo: (schema: SchemaName) => Promise<boolean>) => {
    const schema = await schemaOf(agent);
    while (!(await isSo(schema))) await new Promise((done) => setTimeout(done, 1000));
    return seconds();
  };
  const embedded = await until(async () => (await service.status(agent)).pendingEmbeddings === 0);
  const indexed = await until(
    async (schema) =>
      (
        await one<{ is: boolean }>(
          `SELECT EXISTS (SELECT FROM pg_index i WHERE i.indisvalid AND i.indexrelid = to_regclass('${schema}.vectors_1_hnsw')) AS is`,
        )
      ).is,
  );
  await service.settled(agent);
  clearInterval(watching);
  return {
    chunks: String(chunks),
    "written s": written,
    "embedded s": embedded,
    "HNSW built s": indexed,
    "settled s": seconds(),
    "worker at most": mb(workerPeak),
    "API at most": mb(apiPeak),
  };
}

async function one<R>(sql: string, values: unknown[] = []): Promise<R> {
  const { rows } = await db.executeSql<R & Record<string, unknown>>(sql, values);
  return rows[0] as R;
}

async function schemaOf(agent: string): Promise<SchemaName> {
  const { schema } = await one<{ schema: string }>("SELECT schema_name AS schema FROM recollect.agents WHERE id = $1", [
    agent,
  ]);
  return schemaName(schema);
}

async function sizesOf(chunks: number): Promise<Row> {
  const schema = await schemaOf(agentOf(chunks));
  const size = async (what: string) =>
    mb(Number((await one<{ bytes: string }>(`SELECT coalesce(${what}, 0)::text AS bytes`)).bytes));
  const table = (name: string) => size(`pg_total_relation_size(to_regclass('${schema}.${name}'))`);
  return {
    chunks: String(chunks),
    files: await table("files"),
    "chunks and keyword vectors": await table("chunks_1"),
    postings: await table("postings_1"),
    "vectors without index": await size(`pg_table_size(to_regclass('${schema}.vectors_1'))`),
    HNSW: await size(`pg_relation_size(to_regclass('${schema}.vectors_1_hnsw'))`),
  };
}

/** Returns one row: `clients` clients ask `searches` questions. */
async function asks(what: string, chunks: number, clients: number, searches: number, more: object = {}): Promise<Row> {
  const cpu = startCpu(service.api.pid, connectionString);
  const { perSecond, ...times } = figuresOf(await timed(clients, searches, (i) => search(chunks, i, more)));
  const used = cpu(searches);
  return {
    chunks: String(chunks),
    what,
    ...times,
    "a second": perSecond,
    "CPU of API": used.process,
    "of Postgres": used.postgres,
  };
}

async function searches(chunks: number): Promise<Row[]> {
  const rows = [await firstSearches(chunks)];
  await timed(2, QUESTIONS, (i) => search(chunks, i));
  for (const clients of [1, 8, 32])
    rows.push(await asks(`search, ${clients}`, chunks, clients, Math.max(QUESTIONS, clients * 12)));
  // Filters by the first digits of a file's number: about a fifth of the files, a fiftieth, and so
  // on.
  for (const prefix of ["n1", "n12", "n123", "n1234"]) {
    const { files, passing } = await one<{ files: string; passing: string }>(
      `SELECT count(*)::text AS files, count(*) FILTER (WHERE path ^@ $1)::text AS passing FROM ${await schemaOf(agentOf(chunks))}.files`,
      [prefix],
    );
    if (passing === "0") continue;
    const share = ((100 * Number(passing)) / Number(files)).toPrecision(2);
    rows.push(await asks(`in ${share} % of the files, 1`, chunks, 1, 60, { paths: [`${prefix}*`] }));
  }
  return rows;
}

/** Measures the first search of an API process that has just started, and the next fifty. */
async function firstSearches(chunks: number): Promise<Row> {
  const { child, match } = await service.start(["serve", "--port", "0", "--no-worker"], /"url":"([^"]+)"/);
  const call = callerOf(match[1] ?? "", service.key);
  const [first] = (await timed(1, 1, () => search(chunks, 0, {}, call))).ms;
  const { p50, p95, p99 } = figuresOf(await timed(1, 50, (i) => search(chunks, i + 1, {}, call)));
  child.kill();
  return {
    chunks: String(chunks),
    what: `after a start: the first ${first?.toFixed(0)} ms, the next 50`,
    p50,
    p95,
    p99,
  };
}

/** Writes new notes of 4 KB, one after the other, and deletes them afterwards. */
async function writes(chunks: number): Promise<Row> {
  const { request } = notesFor(WRITES, `written ${Date.now()} `);
  const files = request(0).flatMap(({ content }) => content.split(/^(?=## )/m));
  const base = `${pathOf(chunks)}/files/written`;
  const { perSecond, ...times } = figuresOf(
    await timed(1, files.length, (i) => service.call("PUT", `${base}/${i}.md`, { content: files[i] })),
  );
  await timed(1, files.length, (i) => service.call("DELETE", `${base}/${i}.md`));
  return { chunks: String(chunks), what: "write of a chunk, 1", ...times, "a second": perSecond };
}

async function replaceTenth(chunks: number): Promise<Row[]> {
  const { requests, request } = notesFor(chunks / 10, `again ${Date.now()} `);
  let isOver = false;
  const taken: number[] = [];
  const searching = (async () => {
    for (let i = 0; !isOver; i++) {
      const began = performance.now();
      await search(chunks, i);
      taken.push(performance.now() - began);
    }
  })();
  const began = performance.now();
  const replaced = await timed(1, requests, (i) =>
    service.call("POST", `${pathOf(chunks)}/files`, { put: request(i) }),
  );
  await service.settled(agentOf(chunks));
  isOver = true;
  await searching;
  const seconds = (performance.now() - began) / 1000;
  return [
    {
      chunks: String(chunks),
      what: `search while a tenth is replaced (${seconds.toFixed(0)} s)`,
      ...figuresOf({ ms: taken, seconds }),
    },
    { chunks: String(chunks), what: "a request that replaces 50 files", ...figuresOf(replaced) },
  ].map(({ perSecond, ...row }) => ({ ...row, "a second": perSecond }));
}

async function compareWithAll(chunks: number): Promise<Row> {
  const index = { schema: await schemaOf(agentOf(chunks)), generationId: 1 };
  const cache = createSegmentCache(1e9);
  return db.transaction(async (tx) => {
    await scanAsServed(tx, index.schema);
    await tx.executeSql("SET LOCAL max_parallel_workers_per_gather = 2");
    let [found, equal, hits] = [0, 0, 0];
    for (let i = 0; i < COMPARED; i++) {
      const question = questionOf(chunks, i);
      const vector = encodeVector(Float32Array.from(vectorOf(question, DIMENSIONS)));
      const nearest = () =>
        vectorCandidates(
          tx,
          { ...index, dimensions: DIMENSIONS, halfVectors: true },
          { vector, limit: 10, sources: [1] },
        );
      const byIndex = new Set((await nearest()).map(({ chunkId }) => chunkId));
      await tx.executeSql("SET LOCAL enable_indexscan = off");
      const all = await nearest();
      await tx.executeSql("SET LOCAL enable_indexscan = on");
      found += all.filter(({ chunkId }) => byIndex.has(chunkId)).length;
      const query = analyzeQuery(question, ["english"]);
      const wanted = { ...index, languages: ["english"], query, sources: [1], limit: CANDIDATES };
      const lists = await keywordCandidates(tx, { ...wanted, cache });
      // With a filter, here a filter that every file passes, the SQL weighs by the stored counts.
      // Without a filter it counts anew, and its counts are a percent higher.
      const sql = await keywordCandidates(tx, { ...wanted, filter: { paths: ["*"] } });
      hits += sql.hits.length;
      equal += sql.hits.filter((hit, at) => Math.abs(hit.score - (lists.hits[at]?.score ?? 0)) < 1e-9).length;
    }
    return { chunks: String(chunks), "recall@10": found / (10 * COMPARED), BM25: `${equal} of ${hits} hits` };
  });
}

const imported: Row[] = [];
for (const chunks of SIZES) imported.push((await fill(chunks)) ?? { chunks: String(chunks), "written s": "was there" });
printRows("import", imported);
await db.executeSql("VACUUM (ANALYZE)");
printRows("on disk", [await sizesOf(SIZES[0] as number), await sizesOf(CHUNKS)]);
const rows: Row[] = [];
for (const chunks of SIZES) rows.push(...(await searches(chunks)), await writes(chunks));
printRows(`ms; the API has ${mb(residentBytes(service.api.pid))}`, rows);
printRows("compared with reading all", [await compareWithAll(SIZES[0] as number), await compareWithAll(CHUNKS)]);
printRows("ms", await replaceTenth(CHUNKS));
await db.close();
process.exit();
