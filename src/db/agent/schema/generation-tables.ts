import { notOnWorkers } from "../../citus/ddl.ts";
import type { Database, SqlExecutor } from "../../database.ts";
import type { RoleName, SchemaName } from "./schema-name.ts";

/** The table of one generation's vectors. */
export interface VectorTable {
  schema: SchemaName;
  generationId: number;
  dimensions: number;
  /** Whether the vectors have half precision. */
  halfVectors: boolean;
}

/** pgvector indexes `vector` up to this many dimensions, and `halfvec` up to 4,000. */
export const MAX_VECTOR_DIMENSIONS = 2000;
const MAX_HALFVEC_DIMENSIONS = 4000;

/**
 * Returns whether a new generation stores its vectors in half precision. This halves their memory
 * and changes a cosine in the fifth digit. Postgres computes cosines in a quarter less time.
 * PGlite, which has no instructions for half precision, takes twice as long, so it stores half
 * precision only where the vectors are too long to be indexed otherwise (bench/notes/vectors.md,
 * "Vectors of half precision"). A generation keeps the precision it was made with.
 */
export function storesHalf(kind: Database["kind"], dimensions: number | null): boolean {
  return dimensions !== null && (kind === "postgres" || dimensions > MAX_VECTOR_DIMENSIONS);
}

/** Returns the vector table of a generation with this number of dimensions. */
export function vectorTable(
  schema: SchemaName,
  { id: generationId, halfVectors }: { id: number; halfVectors: boolean },
  dimensions: number,
): VectorTable {
  return { schema, generationId, dimensions, halfVectors };
}

/**
 * The size up to which a row keeps its keyword vector instead of moving it to the TOAST table. By
 * default about half of the keyword vectors move, and scoring a chunk costs 10 µs instead of 3 µs;
 * with this setting 100,000 chunks take 7 % more space (bench/notes/keyword.md). Embeddings of more
 * than 500 dimensions stay in the row as well: an exact scan of 4,000 vectors of 1,536 dimensions
 * takes a third to a quarter of the time, in the same space.
 */
const TOAST_TUPLE_TARGET = 8160;

/**
 * Returns whether pgvector can index vectors of this number of dimensions; larger ones are compared
 * one by one.
 */
export function isIndexable(dimensions: number): boolean {
  return dimensions <= MAX_HALFVEC_DIMENSIONS;
}

/** Returns the SQL type of a generation's vectors, without their dimensions. */
export function vectorType({ halfVectors }: Pick<VectorTable, "halfVectors">): "halfvec" | "vector" {
  return halfVectors ? "halfvec" : "vector";
}

/**
 * Returns SQL for a vector parameter in binary form that is compared with a generation's vectors.
 * Without the subquery a prepared statement would convert the parameter to half precision again for
 * each vector that it compares.
 */
export function vectorParameter(number: number, { halfVectors }: Pick<VectorTable, "halfVectors">): string {
  return halfVectors ? `(SELECT $${number}::vector::halfvec)` : `$${number}::vector`;
}

/**
 * Creates the tables of one generation; idempotent. Run with the service's own role. A chunk
 * belongs to a file, a session or a fact. The `ordinal` of a session's chunk is the number of its
 * window, which all pieces of a long window share; the chunk also has the numbers of its messages.
 * A fact has one chunk. `language` is the configuration that a chunk is stemmed in if the
 * generation follows its texts.
 *
 * Keyword vectors have no index. Searches read posting lists (segments/load-segments.ts), or the
 * keyword vectors of chunks that are in no segment. A GIN index took 0.09 of the 0.31 ms that
 * Postgres spends on a chunk, and for each 4 MB of its pending list one write waited 90 ms or more.
 *
 * Vectors have a table of their own. A chunk's row is wide (text and keyword vector), so storing
 * its embedding later in the same row would rewrite the row and all its index entries, and an exact
 * scan of the vectors would read the texts too. A vector's row is inserted together with its chunk
 * and is NULL until the chunk is embedded. The NULL rows are the remaining work, which the partial
 * index finds without a scan.
 *
 * The vector index is built by one process (`parallel_workers = 0`). A parallel build takes shared
 * memory, and a container has only 64 MB of it by default ("No space left on device"). Also,
 * pgvector below 0.8.2 is vulnerable in parallel builds (CVE-2026-3172). The setting also keeps one
 * search from occupying several cores.
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
    `CREATE INDEX IF NOT EXISTS chunks_${generation.id}_session ON ${chunks} (session_id, ordinal)
      WHERE session_id IS NOT NULL`,
  );
  await sql.executeSql(
    `CREATE INDEX IF NOT EXISTS chunks_${generation.id}_fact ON ${chunks} (fact_id) WHERE fact_id IS NOT NULL`,
  );
  // No index uses these columns any more, so no plan needs statistics about words or texts.
  // Counting words takes most of the time of ANALYZE.
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
    `CREATE INDEX IF NOT EXISTS vectors_${generation.id}_pending ON ${vectors} (chunk_id)
      WHERE embedding IS NULL`,
  );
  await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${vectors} TO ${role}`);
}

/**
 * Creates the tables of segments/load-segments.ts: for each segment its chunks as arrays, and for
 * each segment and lexeme the postings. The arrays are read whole, and compressing arrays of small
 * numbers saves little.
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
 * Runs ANALYZE on the tables that searches read, with the service's own role. A statement that was
 * prepared while the tables were small keeps a plan for small tables until then, and autovacuum
 * comes a minute or more after a large import. 3,000 rows of each table are enough for these plans,
 * and are read in a tenth of the time of Postgres' usual 30,000.
 */
export async function analyseTables(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: { id: number; dimensions: number | null },
): Promise<void> {
  const vectors = generation.dimensions === null ? [] : [`vectors_${generation.id}`];
  const tables = ["files", "sessions", "messages", "facts", "lexemes", `chunks_${generation.id}`, ...vectors];
  // One transaction for each table: ANALYZE holds its lock until the transaction ends, and writers
  // of facts and the switch to a new index wait for that lock.
  for (const table of tables)
    await sql.executeSql(`SET LOCAL default_statistics_target = 10; ANALYZE (SKIP_LOCKED) ${schema}.${table}`);
}

/** Drops the tables of an unused generation; idempotent. Run with the service's own role. */
export async function dropGenerationTables(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<void> {
  const tables = ["chunks", "segments", "postings", "vectors"].map((name) => `${schema}.${name}_${generationId}`);
  // One statement, which locks the tables in the order of a search. In another order it would wait
  // for a search while the search waits for it.
  await sql.executeSql(`DROP TABLE IF EXISTS ${tables.join(", ")}`);
  for (const table of ["lexemes", "languages"])
    await sql.executeSql(`DELETE FROM ${schema}.${table} WHERE generation_id = $1`, [generationId]);
}
