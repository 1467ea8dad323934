import type { SqlExecutor } from "../../database.ts";
import type { Generation } from "./generations.ts";
import type { SchemaName } from "./schema-name.ts";

/** The columns that identify the model of a generation. */
export type GenerationModel = Pick<Generation, "provider" | "model" | "endpoint" | "dimensions">;

/**
 * Returns the model of the active index, or undefined for an index without vectors. Reads only
 * columns that every version of an agent's schema has.
 */
export async function activeModel(
  sql: SqlExecutor,
  schema: SchemaName,
): Promise<Omit<GenerationModel, "endpoint"> | undefined> {
  const { rows } = await sql.executeSql<Omit<GenerationModel, "endpoint">>(
    `SELECT provider, model, dimensions
       FROM ${schema}.generations
      WHERE status = 'active'
        AND dimensions IS NOT NULL`,
  );
  return rows[0];
}
