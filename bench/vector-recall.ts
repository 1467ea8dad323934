// Measures how much of an exact scan's result an HNSW scan finds, by `hnsw.ef_search`, and what it
// costs. Also measures the value that the service would choose (db/agent/candidates/vector-scan.ts).
//
//   DATABASE_URL=postgres://… node bench/vector-recall.ts
//     [vectors, default 100000] [--dimensions 1536] [--ef 40,64,…] [--json]
//   DATABASE_URL=postgres://…
//     node bench/vector-recall.ts 50000 --texts <folder> [--texts <folder> …]
//   DATABASE_URL=postgres://… node bench/vector-recall.ts --built 16:64,16:128
//
// `--built` compares indexes with other parameters, `m:ef_construction` each. Vectors are clustered
// by topic, each with noise of its own. With `--texts` they are the built-in model's vectors of the
// paragraphs and corpora of the folders, and the questions come from the corpora. Table, index and
// statements are the same as in a search, on one connection; the yardstick is the exact scan of the
// same run. `candidates` is the number of chunks that an arm asks for: 24 for six results, at most
// 200; a scan continues until it has them. `pages` counts the pages of the index that a scan looks
// at, which does not depend on other work on the machine. CPU is the backend's.
import { parseArgs } from "node:util";
import { measureVectorScan, vectorScan } from "../src/db/agent/candidates/vector-scan.ts";
import { vectorCandidates } from "../src/db/agent/candidates/vector-search.ts";
import { buildVectorIndex } from "../src/db/agent/chunks/vector-index.ts";
import { withAgentReads, withAgentTransaction } from "../src/db/agent/schema/agent-transaction.ts";
import { createAgentRole, createAgentSchema } from "../src/db/agent/schema/create-agent-schema.ts";
import {
  createGenerationTables,
  storesHalf,
  vectorTable,
  vectorType,
} from "../src/db/agent/schema/generation-tables.ts";
import { roleName, schemaName } from "../src/db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../src/db/database.ts";
import { loadAgentMigrations } from "../src/db/migrate/agent.ts";
import { openPostgres } from "../src/db/pg.ts";
import { prepareDatabase } from "../src/db/prepare-database.ts";
import { encodeVector, encodeVectors } from "../src/db/vector-codec.ts";
import { startCpu } from "./support/cpu.ts";
import { noteOf, vectorOf } from "./support/fake-vectors.ts";
import { percentile, printRows } from "./support/figures.ts";
import { passagesOf, textVectors } from "./support/text-vectors.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    dimensions: { type: "string", default: "384" },
    ef: { type: "string", default: "40,64,80,100,120,150,200,400" },
    texts: { type: "string", multiple: true, default: [] },
    built: { type: "string" },
    json: { type: "boolean" },
  },
});
const COUNT = Number(positionals[0] ?? 100_000);
const QUESTIONS = 200;
const CANDIDATES = [24, 200];
const BATCH = 500;

/**
 * Vectors that are computed on request, so that vectors of many dimensions need not all be in
 * memory.
 */
interface Vectors {
  count: number;
  of(i: number): Float32Array;
  questions: Float32Array[];
}

async function vectorsOfTexts(folders: readonly string[]): Promise<Vectors> {
  const { passages, questions } = passagesOf(folders, COUNT);
  const asked = Array.from(
    { length: QUESTIONS },
    (_, i) => questions[Math.floor((i * questions.length) / QUESTIONS)] ?? "",
  );
  const [known, ofQuestions] = [await textVectors(passages), await textVectors(asked)];
  return { count: known.length, of: (i) => known[i] ?? new Float32Array(), questions: ofQuestions };
}

function clustered(dimensions: number): Vectors {
  const topicOf = (i: number) => noteOf(`note ${i}`, 0).topic;
  return {
    count: COUNT,
    of: (i) => vectorOf(`${topicOf(i)} ${i}`, dimensions),
    questions: Array.from({ length: QUESTIONS }, (_, i) => vectorOf(`What of ${topicOf(i * 7919)}? ${i}`, dimensions)),
  };
}

const vectors = flags.texts.length > 0 ? await vectorsOfTexts(flags.texts) : clustered(Number(flags.dimensions));
const dimensions = vectors.questions[0]?.length ?? 0;
const connectionString = process.env.DATABASE_URL ?? "";
const db = openPostgres({ connectionString, maxConnections: 1, onIdleError: () => undefined });
await prepareDatabase(db, new Date(), () => undefined);
const name = "agent_bench_recall";
const agent = { schema: schemaName(name), role: roleName(name) };
const generation = { id: 1, dimensions, halfVectors: storesHalf(db.kind, dimensions) };
const table = vectorTable(agent.schema, generation, dimensions);

async function fill(): Promise<void> {
  await createAgentRole(db, agent);
  await db.executeSql(`DROP SCHEMA IF EXISTS ${agent.schema} CASCADE`);
  await createAgentSchema(db, agent, loadAgentMigrations());
  await createGenerationTables(db, agent.schema, agent.role, generation);
  for (let from = 0; from < vectors.count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, vectors.count - from) }, (_, i) => vectors.of(from + i));
    await db.executeSql(
      `WITH c AS (INSERT INTO ${agent.schema}.chunks_1 (source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
         SELECT 1, n, 1, 1, '', '', n::text, 1, '' FROM generate_series(1, cardinality($1::vector[])) n RETURNING id, ordinal)
       INSERT INTO ${agent.schema}.vectors_1 (chunk_id, source, embedding) SELECT id, 1, ($1::vector[])[ordinal] FROM c`,
      [encodeVectors(batch)],
    );
  }
  await db.executeSql(`ANALYZE ${agent.schema}.vectors_1`);
}

interface Run {
  ids: string[][];
  p50: number;
  p95: number;
  cpu: number | undefined;
  pages: number;
}

/** Asks all questions twice: the first round reads the index into memory. */
async function ask(limit: number, tune: (tx: SqlExecutor) => Promise<unknown>): Promise<Run> {
  return withAgentTransaction(db, agent, async (tx) => {
    await tune(tx);
    const round = async () => {
      const ms: number[] = [];
      const ids: string[][] = [];
      for (const question of vectors.questions) {
        const vector = encodeVector(question);
        const began = performance.now();
        const hits = await vectorCandidates(tx, table, { vector, limit, sources: [1] });
        ms.push(performance.now() - began);
        ids.push(hits.map((hit) => hit.chunkId));
      }
      return { ms, ids };
    };
    await round();
    const pages = await indexPages(tx);
    const used = startCpu(undefined, connectionString);
    const { ms, ids } = await round();
    const cpu = used(ms.length).postgres;
    const looked = ((await indexPages(tx)) - pages) / ms.length;
    return { ids, p50: percentile(ms, 0.5), p95: percentile(ms, 0.95), cpu, pages: looked };
  });
}

/** Returns how often this transaction has asked for a page of the index. */
async function indexPages(tx: SqlExecutor): Promise<number> {
  const { rows } = await tx.executeSql<{ pages: number }>(
    `SELECT pg_stat_get_xact_blocks_fetched('${agent.schema}.vectors_1_hnsw'::regclass)::int AS pages`,
  );
  return rows[0]?.pages ?? 0;
}

/** Returns the share of the first `first` exact answers that are among the scan's first `first`. */
function recall(exact: Run, scan: Run, first: number): { mean: number; worst: number } {
  const shares = exact.ids.map((ids, question) => {
    const found = new Set(scan.ids[question]?.slice(0, first));
    return ids.slice(0, first).filter((id) => found.has(id)).length / first;
  });
  return { mean: shares.reduce((sum, share) => sum + share, 0) / shares.length, worst: percentile(shares, 0.05) };
}

/** Builds the index. @returns its name in the table, with the seconds that the build took */
async function build(parameters: string | undefined): Promise<string> {
  await db.executeSql(`DROP INDEX IF EXISTS ${agent.schema}.vectors_1_hnsw`);
  const began = performance.now();
  const [m, construction] = (parameters ?? "").split(":").map(Number);
  if (parameters === undefined) await buildVectorIndex(db, table, COUNT);
  else
    await db.executeSql(
      `SET maintenance_work_mem = '2GB';
       CREATE INDEX vectors_1_hnsw ON ${agent.schema}.vectors_1 USING hnsw (embedding ${vectorType(table)}_cosine_ops) WITH (m = ${m}, ef_construction = ${construction})`,
    );
  return `${parameters ?? "default"} in ${((performance.now() - began) / 1000).toFixed(0)} s`;
}

await fill();
const tables: Record<string, string | number | undefined>[] = [];
for (const parameters of flags.built?.split(",") ?? [undefined]) {
  const built = await build(parameters);
  for (const limit of CANDIDATES) await compare(built, limit);
}

async function compare(built: string, limit: number): Promise<void> {
  const exact = await ask(limit, (tx) => tx.executeSql("SET LOCAL enable_indexscan = off"));
  const row = (scan: string, run: Run) => {
    const [ten, all] = [recall(exact, run, 10), recall(exact, run, limit)];
    const quality = { "recall@10": ten.mean.toFixed(4), "its p5": ten.worst.toFixed(2), "of all": all.mean.toFixed(4) };
    tables.push({
      built,
      candidates: String(limit),
      scan,
      ...quality,
      "p50 ms": run.p50,
      "p95 ms": run.p95,
      "CPU ms": run.cpu,
      pages: run.pages,
    });
  };
  row("exact", exact);
  const width = await measureVectorScan((fn, setup) => withAgentReads(db, agent, fn, setup), table);
  row(`measured: ef ${width}`, await ask(limit, (tx) => tx.executeSql(vectorScan(width).join("; "))));
  for (const ef of flags.ef.split(",").map(Number))
    row(`ef ${ef}`, await ask(limit, (tx) => tx.executeSql(vectorScan(ef).join("; "))));
}
printRows(
  `${vectors.count} ${flags.texts.length > 0 ? "texts by the built-in model" : "clustered vectors"}, ${dimensions} dimensions, ${QUESTIONS} questions`,
  tables,
);
await db.executeSql(`DROP SCHEMA ${agent.schema} CASCADE`);
await db.executeSql(`DROP ROLE ${agent.role}`);
await db.close();
