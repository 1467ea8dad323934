import type { Database, SqlExecutor } from "../../database.ts";
import { MAX_VECTOR_DIMENSIONS, storesHalf } from "./generation-tables.ts";
import type { SchemaName } from "./schema-name.ts";

/**
 * The separation that a model achieves over pairs of related texts: the number of pairs, and the
 * sum of how far their cosines stand out, in standard deviations.
 */
export interface Separation {
  readonly pairs: number;
  readonly sum: number;
}

/**
 * How well a model separates related from unrelated texts in an index, by the script of the texts
 * (`relevance/ranking/sensitivity.ts`).
 */
export type MeasuredSeparation = { readonly [script: string]: Separation };

/** One complete index of an agent under fixed settings. */
export interface Generation {
  id: number;
  provider: string;
  model: string;
  /**
   * The address of the provider that made its vectors (`embeddings/endpoint.ts`); null in an older
   * index that did not record it.
   */
  endpoint: string | null;
  /** null for keyword search only. */
  dimensions: number | null;
  chunkTokens: number;
  chunkOverlap: number;
  /** Whether chunks of files are indexed under their headings. */
  chunkHeadings: boolean;
  /**
   * The text search configuration of the keyword vectors. With `followsText`, the configuration for
   * chunks whose language is unknown.
   */
  language: string;
  /** Whether each chunk is stemmed in its own language. */
  followsText: boolean;
  /**
   * The configurations that its chunks are stemmed in, as far as recorded, the most frequent first.
   */
  languages: string[];
  /** Whether its vectors have half precision (`storesHalf`). */
  halfVectors: boolean;
  /** Whether the HNSW index exists. */
  vectorIndex: boolean;
  /**
   * How many candidates a scan of the HNSW index keeps, and the number of vectors when that was
   * measured; null when it was not measured.
   */
  vectorScan: number | null;
  vectorScanCount: number | null;
  statsChunkCount: number | null;
  statsAt: Date | null;
  /**
   * The standard deviation of cosines between its texts (`measureCosines`), and the number of
   * chunks when it was measured; null when it was not measured yet.
   */
  cosineDeviation: number | null;
  cosineCount: number | null;
  /** Whether the centre of its vectors was measured together with the deviation. */
  hasCentre: boolean;
  /**
   * How well its model separates related from unrelated texts here (`separationOf`), and the number
   * of embedded chunks when that was measured.
   */
  separation: MeasuredSeparation | null;
  separationCount: number | null;
  createdAt: Date;
  /** A counter that grows with every change of search results. */
  changes: string;
}

export type NewGeneration = Pick<
  Generation,
  | "provider"
  | "model"
  | "endpoint"
  | "dimensions"
  | "chunkTokens"
  | "chunkOverlap"
  | "chunkHeadings"
  | "language"
  | "followsText"
> & {
  /**
   * Other models of the same provider. An index that was built with one of them stays in use
   * instead of being rebuilt for this model.
   */
  readonly alsoServe?: readonly string[] | undefined;
};

/** The most languages in which a search stems its words. */
const MAX_LANGUAGES = 8;

const knownLanguages = (schema: SchemaName) =>
  `ARRAY(
     SELECT l.language
       FROM ${schema}.languages AS l
      WHERE l.generation_id = generations.id
      ORDER BY l.chunks DESC, l.language <> generations.language, l.language
      LIMIT ${MAX_LANGUAGES})`;

/**
 * Returns the columns of a `Generation`.
 *
 * @param languages an expression for the recorded languages of a generation that follows its texts
 */
const columns = (
  schema: SchemaName,
  languages = knownLanguages(schema),
) => `id, provider, model, endpoint, dimensions, chunk_tokens AS "chunkTokens", chunk_overlap AS "chunkOverlap",
  chunk_headings AS "chunkHeadings", language, follows_text AS "followsText",
  CASE WHEN follows_text
       THEN ${languages}
       ELSE ARRAY[language] END AS languages,
  half_vectors OR coalesce(dimensions > ${MAX_VECTOR_DIMENSIONS}, false) AS "halfVectors", vector_index AS "vectorIndex", vector_scan AS "vectorScan", vector_scan_count AS "vectorScanCount", stats_chunk_count AS "statsChunkCount", stats_at AS "statsAt",
  cosine_deviation AS "cosineDeviation", cosine_count AS "cosineCount", cosine_centre IS NOT NULL AS "hasCentre", separation, separation_count AS "separationCount",
  created_at AS "createdAt", changes`;

/**
 * The generations that have an index: the active generation, which searches use, and perhaps a
 * generation that is being built beside it.
 */
export interface LiveGenerations {
  active: Generation | undefined;
  building: Generation | undefined;
}

export async function liveGenerations(sql: SqlExecutor, schema: SchemaName): Promise<LiveGenerations> {
  const { rows } = await sql.executeSql<GenerationRow>(
    `SELECT ${columns(schema)}, status
       FROM ${schema}.generations
      WHERE status IN ('active', 'building')`,
    [],
    { prepare: true },
  );
  return byStatus(rows);
}

/**
 * The part of a stored file that a write compares with the new file: the hashes of its text and of
 * the document that the text was read from.
 */
export interface KnownFile {
  hash: string;
  original: string | null;
}

/**
 * Returns the live generations and the files at these paths: all that a write needs to know, in one
 * statement.
 */
export async function generationsAndFiles(
  sql: SqlExecutor,
  schema: SchemaName,
  paths: readonly string[],
): Promise<{ live: LiveGenerations; files: Map<string, KnownFile> }> {
  const { rows } = await sql.executeSql<GenerationRow & { files: Record<string, KnownFile> | null }>(
    `SELECT ${columns(schema)}, status,
            (
              SELECT json_object_agg(
                       path, json_build_object('hash', content_hash, 'original', original->>'hash'))
                FROM ${schema}.files
               WHERE path = ANY($1::text[])) AS files
       FROM ${schema}.generations
      WHERE status IN ('active', 'building')`,
    [paths],
    { prepare: true, last: true },
  );
  return { live: byStatus(rows), files: new Map(Object.entries(rows[0]?.files ?? {})) };
}

type GenerationRow = Generation & { status: string };

function byStatus(rows: readonly GenerationRow[]): LiveGenerations {
  const of = (wanted: string) => rows.find(({ status }) => status === wanted);
  return { active: of("active"), building: of("building") };
}

/** Returns the generation that searches use; undefined before the first write. */
export async function activeGeneration(sql: SqlExecutor, schema: SchemaName): Promise<Generation | undefined> {
  return (await liveGenerations(sql, schema)).active;
}

/**
 * Returns only the id of the active generation. Reads only columns that every version of an agent's
 * schema has.
 */
export async function activeGenerationId(sql: SqlExecutor, schema: SchemaName): Promise<number | undefined> {
  const { rows } = await sql.executeSql<{ id: number }>(`SELECT id FROM ${schema}.generations WHERE status = 'active'`);
  return rows[0]?.id;
}

/** The kinds of memory that an agent has besides files. */
export interface SourcesThere {
  /** Whether sessions have messages that the index lacks. */
  unindexed: boolean;
  hasSessions: boolean;
  hasFacts: boolean;
}

/** Returns the generation that searches use, and which kinds of memory there are. */
export async function readSearchedGeneration(
  sql: SqlExecutor,
  schema: SchemaName,
): Promise<(Generation & SourcesThere) | undefined> {
  const { rows } = await sql.executeSql<Generation & SourcesThere>(
    `SELECT ${columns(schema)},
            EXISTS (SELECT FROM ${schema}.sessions WHERE last_seq > indexed_seq) AS unindexed,
            EXISTS (SELECT FROM ${schema}.sessions) AS "hasSessions",
            EXISTS (SELECT FROM ${schema}.facts) AS "hasFacts"
       FROM ${schema}.generations
      WHERE status = 'active'`,
    [],
    { prepare: true, last: true },
  );
  return rows[0];
}

/**
 * Returns the statement that invalidates cached answers. Transactions lock this row last of all
 * rows in the schema.
 */
export function countChange(schema: SchemaName): string {
  return `UPDATE ${schema}.generations SET changes = changes + 1 WHERE status = 'active'`;
}

/**
 * The languages of a generation that is being created. Citus takes no subquery in the RETURNING of
 * an INSERT.
 */
const NO_LANGUAGES = "ARRAY[]::text[]";

/** Inserts a generation's row. The caller creates its tables in the same transaction. */
export async function insertGeneration(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: NewGeneration,
  { status, now, kind }: { status: "active" | "building"; now: Date; kind: Database["kind"] },
): Promise<Generation> {
  const { rows } = await sql.executeSql<Generation>(
    `INSERT INTO ${schema}.generations (provider, model, endpoint, dimensions, chunk_tokens,
                                        chunk_overlap, chunk_headings, language, follows_text,
                                        half_vectors, status, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     RETURNING ${columns(schema, NO_LANGUAGES)}`,
    [
      generation.provider,
      generation.model,
      generation.endpoint,
      generation.dimensions,
      generation.chunkTokens,
      generation.chunkOverlap,
      generation.chunkHeadings,
      generation.language,
      generation.followsText,
      storesHalf(kind, generation.dimensions),
      status,
      now,
    ],
  );
  return rows[0] as Generation;
}

/**
 * Stores how well a generation's model separates texts, and invalidates cached answers, which were
 * scored with another value.
 */
export async function noteSeparation(
  sql: SqlExecutor,
  schema: SchemaName,
  id: number,
  { count, separation }: { count: number; separation: MeasuredSeparation },
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.generations
        SET separation = $2::jsonb, separation_count = $3, changes = changes + 1
      WHERE id = $1`,
    [id, JSON.stringify(separation), count],
  );
}

/** Returns whether two generations index in the same way. */
export function indexesAlike(one: NewGeneration, other: NewGeneration): boolean {
  const model = ["provider", "model", "dimensions"] as const;
  const chunks = ["chunkTokens", "chunkOverlap", "chunkHeadings", "language", "followsText"] as const;
  return [...model, ...chunks].every((key) => one[key] === other[key]) && isSamePlace(one, other);
}

/** Returns whether two generations use the same endpoint, as far as both are recorded. */
function isSamePlace({ endpoint: one }: NewGeneration, { endpoint: other }: NewGeneration): boolean {
  return one === null || other === null || one === other;
}

/** Stores the endpoint of a generation that was made before endpoints were recorded. */
export async function noteEndpoint(sql: SqlExecutor, schema: SchemaName, id: number, endpoint: string): Promise<void> {
  await sql.executeSql(`UPDATE ${schema}.generations SET endpoint = $2 WHERE id = $1 AND endpoint IS NULL`, [
    id,
    endpoint,
  ]);
}

/**
 * Returns whether a generation can stay in use although another is wanted. A generation of a former
 * default model can. So can one from before `followsText`, because most agents' texts are in its
 * one language. If the texts have other languages, the maintenance job asks for a reindex
 * (`maintain-index.ts`).
 */
export function serves(active: NewGeneration, wanted: NewGeneration): boolean {
  const isOlder = wanted.followsText && !active.followsText && active.language === wanted.language;
  const model = wanted.alsoServe?.includes(active.model) ? wanted.model : active.model;
  return indexesAlike({ ...active, model, followsText: isOlder || active.followsText }, wanted);
}

/**
 * Returns the languages that a generation is searched in. An older process records none and stems
 * all chunks in the generation's language.
 */
export function searchedLanguages({ languages, language }: Generation): readonly string[] {
  return languages.length > 0 ? languages : [language];
}

/**
 * Returns the likely languages of a new text, for language detection; undefined if all texts are
 * stemmed alike.
 */
export function textLanguages(generation: Generation | undefined): readonly string[] | undefined {
  return generation?.followsText ? generation.languages : undefined;
}

/** Returns the last generation if its build was cancelled; undefined if another was built since. */
export async function lastCancelled(sql: SqlExecutor, schema: SchemaName): Promise<Generation | undefined> {
  const { rows } = await sql.executeSql<Generation & { status: string }>(
    `SELECT ${columns(schema)}, status FROM ${schema}.generations ORDER BY id DESC LIMIT 1`,
  );
  return rows[0]?.status === "cancelled" ? rows[0] : undefined;
}

/** Clears the record of a cancelled build, so that the same settings may be built again. */
export async function forgetCancelled(sql: SqlExecutor, schema: SchemaName): Promise<void> {
  await sql.executeSql(`UPDATE ${schema}.generations SET status = 'dropped' WHERE status = 'cancelled'`);
}

export async function setGenerationStatus(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  status: "active" | "dropped" | "cancelled",
): Promise<void> {
  await sql.executeSql(`UPDATE ${schema}.generations SET status = $2 WHERE id = $1`, [generationId, status]);
}

/**
 * Returns the ids of generations that have ended and still have tables. Their status is set first,
 * and the tables are dropped later.
 */
export async function endedGenerations(sql: SqlExecutor, schema: SchemaName): Promise<number[]> {
  const { rows } = await sql.executeSql<{ id: number }>(
    `SELECT id
       FROM ${schema}.generations g
      WHERE status IN ('dropped', 'cancelled')
        AND to_regclass('${schema}.chunks_' || g.id) IS NOT NULL`,
  );
  return rows.map((row) => row.id);
}

export async function markVectorIndex(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<void> {
  await sql.executeSql(`UPDATE ${schema}.generations SET vector_index = true, changes = changes + 1 WHERE id = $1`, [
    generationId,
  ]);
}
