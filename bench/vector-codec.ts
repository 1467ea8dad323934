// Compares our binary form of vectors with the text form of the package pgvector.
//
//   [DATABASE_URL=postgres://…] node bench/vector-codec.ts
//
// Writes 1,000 vectors in one statement and reads them in another one; on PGlite in memory without
// a URL. Prints medians of the two forms, measured in turn.

import { fromSql, toSql } from "pgvector";
import type { Database } from "../src/db/database.ts";
import { openPostgres } from "../src/db/pg.ts";
import { openPglite } from "../src/db/pglite.ts";
import { decodeVector, encodeVectors, readVector } from "../src/db/vector-codec.ts";

const VECTORS = 1000;
const RUNS = 9;

/** One way to write vectors to a parameter and to read them from a column. */
interface Form {
  name: string;
  encode(vectors: readonly Float32Array[]): Uint8Array | string;
  column: string;
  decode(value: string): Float32Array;
}

const FORMS: readonly Form[] = [
  { name: "binary", encode: encodeVectors, column: readVector("embedding"), decode: decodeVector },
  {
    name: "pgvector",
    // As the literal of an array: PGlite takes no list for an array of an extension's type.
    encode: (vectors) => `{${vectors.map((vector) => `"${toSql(Array.from(vector))}"`).join(",")}}`,
    column: "embedding::text",
    decode: (text) => Float32Array.from(fromSql(text) as number[]),
  },
];

const url = process.env.DATABASE_URL;
const db = url
  ? openPostgres({ connectionString: url, maxConnections: 1, onIdleError: () => undefined })
  : await openPglite();
await db.executeSql("CREATE EXTENSION IF NOT EXISTS vector");
await db.executeSql("CREATE UNLOGGED TABLE bench_codec (embedding vector)");
console.log(`${db.kind}, ${VECTORS} vectors, medians of ${RUNS} runs in ms`);
console.log("dimensions | form | encode | encode and store | decode | read and decode | written, read bytes");
for (const dimensions of [384, 1536]) {
  const vectors = Array.from({ length: VECTORS }, () => unitVector(dimensions));
  const runs = new Map(FORMS.map(({ name }) => [name, [] as number[][]]));
  for (let run = 0; run < RUNS; run++) {
    for (const form of FORMS) runs.get(form.name)?.push(await measure(db, form, vectors));
  }
  for (const [name, times] of runs) console.log([dimensions, name, ...medians(times)].join(" | "));
}
await db.executeSql("DROP TABLE bench_codec");
await db.close();

async function measure(db: Database, form: Form, vectors: readonly Float32Array[]): Promise<number[]> {
  await db.executeSql("TRUNCATE bench_codec");
  const started = performance.now();
  const sent = form.encode(vectors);
  const encoded = performance.now();
  await db.executeSql("INSERT INTO bench_codec SELECT unnest($1::vector[])", [sent]);
  const stored = performance.now();
  const { rows } = await db.executeSql<{ value: string }>(`SELECT ${form.column} AS value FROM bench_codec`, []);
  const read = performance.now();
  const found = rows.map(({ value }) => form.decode(value));
  const decoded = performance.now();
  const isSame = found.every((vector, i) => vector.every((value, at) => value === vectors[i]?.[at]));
  if (!isSame) throw new Error(`${form.name} changed a vector.`);
  const received = rows.reduce((sum, { value }) => sum + value.length, 0);
  return [encoded - started, stored - started, decoded - read, decoded - stored, sent.length, received];
}

function medians(times: readonly number[][]): string[] {
  const columns = times[0]?.map((_, column) => times.map((run) => run[column] ?? 0).toSorted((a, b) => a - b)) ?? [];
  return columns.map((column, place) => (column[RUNS >> 1] ?? 0).toFixed(place < 4 ? 1 : 0));
}

function unitVector(dimensions: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
