import type { SqlExecutor } from "../database.ts";
import type { SchemaName } from "./schema-name.ts";

/** One complete index of an agent under fixed settings. */
export interface Generation {
  id: number;
  provider: string;
  model: string;
  /** null: keyword search only. */
  dimensions: number | null;
  chunkTokens: number;
  chunkOverlap: number;
  /** Postgres text-search configuration of the keyword vectors. */
  language: string;
  /** Whether the HNSW index exists. */
  vectorIndex: boolean;
  statsChunkCount: number | null;
  statsAt: Date | null;
}

export type NewGeneration = Pick<
  Generation,
  "provider" | "model" | "dimensions" | "chunkTokens" | "chunkOverlap" | "language"
>;

const COLUMNS = `id, provider, model, dimensions, chunk_tokens AS "chunkTokens", chunk_overlap AS "chunkOverlap", language,
  vector_index AS "vectorIndex", stats_chunk_count AS "statsChunkCount", stats_at AS "statsAt"`;

/** The generation that searches use; undefined before the first write. */
export async function activeGeneration(sql: SqlExecutor, schema: SchemaName): Promise<Generation | undefined> {
  const { rows } = await sql.executeSql<Generation>(
    `SELECT ${COLUMNS} FROM ${schema}.generations WHERE status = 'active'`,
    [],
  );
  return rows[0];
}

/** Records a generation as the active one. The caller creates its tables in the same transaction. */
export async function insertActiveGeneration(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: NewGeneration,
  now: Date,
): Promise<Generation> {
  const { rows } = await sql.executeSql<Generation>(
    `INSERT INTO ${schema}.generations (provider, model, dimensions, chunk_tokens, chunk_overlap, language, status, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, 'active', $7) RETURNING ${COLUMNS}`,
    [
      generation.provider,
      generation.model,
      generation.dimensions,
      generation.chunkTokens,
      generation.chunkOverlap,
      generation.language,
      now,
    ],
  );
  return rows[0] as Generation;
}

export async function markVectorIndex(sql: SqlExecutor, schema: SchemaName, generationId: number): Promise<void> {
  await sql.executeSql(`UPDATE ${schema}.generations SET vector_index = true WHERE id = $1`, [generationId]);
}
