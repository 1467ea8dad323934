// Measures from how many chunks on an HNSW index is faster than an exact scan, and how many hits it
// loses.
//
//   [DATABASE_URL=postgres://…]
//     node bench/vector-threshold.ts [sizes, default 1000,2000,5000,10000,20000,50000]
//
// Searches clustered vectors of 384 dimensions (100 centres) through the same functions as the
// service; on PGlite in memory without a URL.

import { vectorScan } from "../src/db/agent/candidates/vector-scan.ts";
import { vectorCandidates } from "../src/db/agent/candidates/vector-search.ts";
import { buildVectorIndex } from "../src/db/agent/chunks/vector-index.ts";
import { withAgentTransaction } from "../src/db/agent/schema/agent-transaction.ts";
import { createAgentRole, createAgentSchema } from "../src/db/agent/schema/create-agent-schema.ts";
import { createGenerationTables, storesHalf, vectorTable } from "../src/db/agent/schema/generation-tables.ts";
import { roleName, schemaName } from "../src/db/agent/schema/schema-name.ts";
import { loadAgentMigrations } from "../src/db/migrate/agent.ts";
import { openPostgres } from "../src/db/pg.ts";
import { openPglite } from "../src/db/pglite.ts";
import { prepareDatabase } from "../src/db/prepare-database.ts";
import { encodeVector, encodeVectors } from "../src/db/vector-codec.ts";

const DIMENSIONS = 384;
const QUERIES = 60;
const LIMIT = 24;
const sizes = (process.argv[2] ?? "1000,2000,5000,10000,20000,50000").split(",").map(Number);

const url = process.env.DATABASE_URL;
const db = url
  ? openPostgres({ connectionString: url, maxConnections: 4, onIdleError: () => undefined })
  : await openPglite();
await prepareDatabase(db, new Date(), () => undefined);
const name = "agent_bench_vectors";
const agent = { schema: schemaName(name), role: roleName(name) };
const generation = { id: 1, dimensions: DIMENSIONS, halfVectors: storesHalf(db.kind, DIMENSIONS) };
const table = vectorTable(agent.schema, generation, DIMENSIONS);

// Uses a generator with a seed, so that two runs measure the same data.
let state = 42;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32 - 0.5;
};
const centres = Array.from({ length: 100 }, () => Float32Array.from({ length: DIMENSIONS }, random));
const near = () => {
  const centre = centres[Math.floor((random() + 0.5) * centres.length)] as Float32Array;
  return centre.map((value) => value + random() * 0.8);
};

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

async function fill(from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 1000) {
    const vectors = Array.from({ length: Math.min(1000, to - start) }, near);
    await db.executeSql(
      `WITH c AS (INSERT INTO ${agent.schema}.chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
         SELECT 1, 1, n, 1, 1, '', 'x', n::text, 1, '' FROM generate_series(1, cardinality($1::vector[])) n RETURNING id, ordinal)
       INSERT INTO ${agent.schema}.vectors_1 (chunk_id, source, embedding) SELECT id, 1, ($1::vector[])[ordinal] FROM c`,
      [encodeVectors(vectors)],
    );
  }
  await db.executeSql(`ANALYZE ${agent.schema}.vectors_1`);
}

async function measure(
  queries: Float32Array[],
  indexed: boolean,
): Promise<{ p50: number; p95: number; ids: string[][] }> {
  const times: number[] = [];
  const ids: string[][] = [];
  for (const query of queries) {
    const vector = encodeVector(query);
    const started = performance.now();
    const hits = await withAgentTransaction(db, agent, async (tx) => {
      if (indexed) await tx.executeSql(vectorScan(null).join("; "));
      return vectorCandidates(tx, table, { vector, limit: LIMIT, sources: [1] });
    });
    times.push(performance.now() - started);
    ids.push(hits.map((hit) => hit.chunkId));
  }
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), ids };
}

console.log(`${db.kind}, ${DIMENSIONS} dimensions, top ${LIMIT}, ${QUERIES} queries`);
console.log("chunks | exact p50 / p95 ms | HNSW p50 / p95 ms | HNSW recall | build s");
await createAgentRole(db, agent);
for (const size of sizes) {
  await db.executeSql(`DROP SCHEMA IF EXISTS ${agent.schema} CASCADE`);
  await createAgentSchema(db, agent, loadAgentMigrations());
  await createGenerationTables(db, agent.schema, agent.role, generation);
  await db.executeSql(
    `INSERT INTO ${agent.schema}.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
     VALUES ('a', 'a', '', '', 0, 0, now(), now(), now())`,
  );
  await fill(0, size);
  const queries = Array.from({ length: QUERIES }, near);
  await measure(queries.slice(0, 5), false);
  const exact = await measure(queries, false);
  const started = performance.now();
  await buildVectorIndex(db, table, size);
  const buildSeconds = (performance.now() - started) / 1000;
  await measure(queries.slice(0, 5), true);
  const hnsw = await measure(queries, true);
  const found = exact.ids.map((ids, q) => ids.filter((id) => hnsw.ids[q]?.includes(id)).length / ids.length);
  const recall = found.reduce((sum, share) => sum + share, 0) / found.length;
  const ms = ({ p50, p95 }: { p50: number; p95: number }) => `${p50.toFixed(1)} / ${p95.toFixed(1)}`;
  console.log(`${size} | ${ms(exact)} | ${ms(hnsw)} | ${recall.toFixed(3)} | ${buildSeconds.toFixed(1)}`);
}
await db.executeSql(`DROP SCHEMA ${agent.schema} CASCADE`);
await db.executeSql(`DROP ROLE ${agent.role}`);
await db.close();
