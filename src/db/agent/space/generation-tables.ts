import { notOnWorkers } from "../../citus/ddl.ts";
import type { Database, SqlExecutor } from "../../database.ts";
import type { RoleName, SchemaName } from "./schema-name.ts";

/** The vectors of one generation. */
export interface VectorTable {
  schema: SchemaName;
  generationId: number;
  dimensions: number;
  /** Whether its numbers have half precision. */
  halfVectors: boolean;
}

/** pgvector indexes `vector` up to this many dimensions, and `halfvec` up to 4,000. */
export const MAX_VECTOR_DIMENSIONS = 2000;
const MAX_HALFVEC_DIMENSIONS = 4000;

/**
 * Whether the vectors of a new generation have half precision, in half the memory. A cosine changes in the fifth digit, and Postgres
 * takes a quarter less time to compute it; PGlite, which has no instructions for it, twice as much (docs/BENCHMARKS.md, "Vectors of half
 * precision"). A generation keeps what it was made with.
 */
export function storesHalf(kind: Database["kind"], dimensions: number | null): boolean {
  return dimensions !== null && (kind === "postgres" || dimensions > MAX_VECTOR_DIMENSIONS);
}

/** The vectors of a generation that has so many dimensions. */
export function vectorTable(
  schema: SchemaName,
  { id: generationId, halfVectors }: { id: number; halfVectors: boolean },
  dimensions: number,
): VectorTable {
  return { schema, generationId, dimensions, halfVectors };
}

/**
 * Keeps keyword vectors in the row. By default about half of them move to the TOAST table and scoring a chunk costs 10 µs
 * instead of 3 µs; 100,000 chunks take 7 % more space (docs/BENCHMARKS.md). Embeddings of more than 500 dimensions stay in
 * the row as well: an exact scan of 4,000 vectors of 1,536 takes a third to a quarter of the time, in the same space.
 */
const TOAST_TUPLE_TARGET = 8160;

/** Whether pgvector can index vectors of so many dimensions; others are compared one by one. */
export function isIndexable(dimensions: number): boolean {
  return dimensions <= MAX_HALFVEC_DIMENSIONS;
}

/** The type of a generation's vectors, without their dimensions. */
export function vectorType({ halfVectors }: Pick<VectorTable, "halfVectors">): "halfvec" | "vector" {
  return halfVectors ? "halfvec" : "vector";
}

/**
 * A parameter for a vector in binary, to compare with those of a generation. Without the subquery a prepared statement makes it half
 * as precise again for each vector that it compares.
 */
export function vectorParameter(number: number, { halfVectors }: Pick<VectorTable, "halfVectors">): string {
  return halfVectors ? `(SELECT $${number}::vector::halfvec)` : `$${number}::vector`;
}

/**
 * Creates the tables of one generation; idempotent. Run with the service's own role. A chunk is a file's, a session's or
 * a fact's; a session's has the number of its window as `ordinal`, which the pieces of a long window share, and its messages'
 * numbers; a fact has one. `language` is what a chunk is stemmed in, where a generation follows its texts.
 *
 * Keyword vectors have no index. Searches read posting lists (segments/load-segments.ts), or the vectors of what is in none; a GIN index
 * was 0.09 of the 0.31 ms of Postgres that a chunk takes, and each 4 MB of its pending list one write waited 90 ms or more.
 *
 * Vectors stand in a table of their own. A chunk's row is wide (text and keyword vector), and storing its embedding later
 * in the same row would rewrite it with every index entry; and an exact scan of the vectors would read the texts too. A vector
 * row is inserted with its chunk, NULL until it is embedded: that is what remains to be done, and the partial index finds it
 * without a scan.
 *
 * Their index is built by one process: a parallel build takes shared memory, of which a container has 64 MB unless told
 * otherwise ("No space left on device"), and is where pgvector below 0.8.2 is vulnerable (CVE-2026-3172). One search does
 * not take several cores from the others either.
 */
export async function createGenerationTables(
  sql: SqlExecutor,
  schema: SchemaName,
  role: RoleName,
  generation: { id: number; dimensions: number | null; halfVectors: boolean },
): Promise<void> {
  const chunks = `${schema}.chunks_${generation.id}`;
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${chunks} (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file_id bigint REFERENCES ${schema}.files (id) ON DELETE CASCADE,
    source smallint NOT NULL,
    ordinal integer NOT NULL,
    start_line integer NOT NULL,
    end_line integer NOT NULL,
    heading text NOT NULL,
    text text NOT NULL,
    hash text NOT NULL,
    length integer NOT NULL,
    keywords tsvector NOT NULL,
    session_id bigint REFERENCES ${schema}.sessions (id) ON DELETE CASCADE,
    first_message integer,
    last_message integer,
    fact_id bigint REFERENCES ${schema}.facts (id) ON DELETE CASCADE,
    language text
  ) WITH (toast_tuple_target = ${TOAST_TUPLE_TARGET})`);
  await sql.executeSql(`CREATE INDEX IF NOT EXISTS chunks_${generation.id}_file ON ${chunks} (file_id, ordinal)`);
  await sql.executeSql(
    `CREATE INDEX IF NOT EXISTS chunks_${generation.id}_session ON ${chunks} (session_id, ordinal) WHERE session_id IS NOT NULL`,
  );
  await sql.executeSql(
    `CREATE INDEX IF NOT EXISTS chunks_${generation.id}_fact ON ${chunks} (fact_id) WHERE fact_id IS NOT NULL`,
  );
  // No plan asks how common words or texts are, now that no index has them; counting words takes ANALYZE most of its time.
  await sql.executeSql(
    notOnWorkers(`ALTER TABLE ${chunks} ALTER COLUMN keywords SET STATISTICS 0, ALTER COLUMN text SET STATISTICS 0`),
  );
  await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${chunks} TO ${role}`);
  await createSegmentTables(sql, schema, role, generation.id);
  if (generation.dimensions === null) return;
  const vectors = `${schema}.vectors_${generation.id}`;
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${vectors} (
    chunk_id bigint PRIMARY KEY REFERENCES ${chunks} (id) ON DELETE CASCADE,
    source smallint NOT NULL,
    embedding ${vectorType(generation)}(${generation.dimensions}),
    rejected text
  ) WITH (parallel_workers = 0, toast_tuple_target = ${TOAST_TUPLE_TARGET})`);
  await sql.executeSql(
    `CREATE INDEX IF NOT EXISTS vectors_${generation.id}_pending ON ${vectors} (chunk_id) WHERE embedding IS NULL`,
  );
  await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${vectors} TO ${role}`);
}

/**
 * The tables of segments/load-segments.ts: per segment its chunks as arrays, and per segment and lexeme the postings. They are read
 * whole, and compressing arrays of small numbers saves little.
 */
async function createSegmentTables(
  sql: SqlExecutor,
  schema: SchemaName,
  role: RoleName,
  generationId: number,
): Promise<void> {
  const segments = `${schema}.segments_${generationId}`;
  const postings = `${schema}.postings_${generationId}`;
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${segments} (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key uuid NOT NULL,
    first_chunk bigint NOT NULL,
    last_chunk bigint NOT NULL,
    chunk_count integer NOT NULL,
    offsets bytea STORAGE EXTERNAL NOT NULL,
    lengths bytea STORAGE EXTERNAL NOT NULL,
    sources bytea STORAGE EXTERNAL NOT NULL
  )`);
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${postings} (
    segment_id bigint REFERENCES ${segments} (id) ON DELETE CASCADE,
    lexeme text COLLATE "C",
    entries bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (segment_id, lexeme)
  )`);
  await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${segments}, ${postings} TO ${role}`);
}

/**
 * Has Postgres look at the tables that searches read, with the service's own role: a statement that was prepared while they
 * were small is planned for small ones until then, and autovacuum comes a minute or more after a large import. 3,000 rows of
 * each are enough to plan these by, and are read in a tenth of the time of Postgres' usual 30,000.
 */
export async function analyseTables(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: { id: number; dimensions: number | null },
): Promise<void> {
  const vectors = generation.dimensions === null ? [] : [`vectors_${generation.id}`];
  const tables = ["files", "sessions", "messages", "facts", "lexemes", `chunks_${generation.id}`, ...vectors];
  // A transaction each: it keeps its lock to the end, which those who write facts and the flip to a new index wait for.
  for (const table of tables)
    await sql.executeSql(`SET LOCAL default_statistics_target = 10; ANALYZE (SKIP_LOCKED) ${schema}.${table}`);
}

/** Drops the tables of a generation that nothing uses any more; idempotent. Run with the service's own role. */
export async function dropGenerationTables(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<void> {
  const tables = ["chunks", "segments", "postings", "vectors"].map((name) => `${schema}.${name}_${generationId}`);
  // One statement, which locks them in the order of a search: it would wait for the search, and the search for it.
  await sql.executeSql(`DROP TABLE IF EXISTS ${tables.join(", ")}`);
  for (const table of ["lexemes", "languages"])
    await sql.executeSql(`DELETE FROM ${schema}.${table} WHERE generation_id = $1`, [generationId]);
}
