import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../space/schema-name.ts";
import { SOURCE_NUMBER } from "../space/source-number.ts";

/**
 * Whether a fact under an alias of `facts` is over. A transaction began before it ended a fact, and the clock of the process that did
 * is not the database's: by `now()` alone what was just ended would seem to hold.
 */
export function isOverSql(alias: string): string {
  return `${alias}.valid_to <= greatest(now(), ${alias}.updated_at)`;
}

/** Moves the chunks of facts that are over to where searches of what holds now do not look. */
export async function shelvePastFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: { id: number; dimensions: number | null },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const shelve = `UPDATE ${schema}.chunks_${generation.id} c SET source = ${SOURCE_NUMBER.pastFacts}
    FROM ${schema}.facts f WHERE f.id = ANY($1::bigint[]) AND ${isOverSql("f")} AND c.fact_id = f.id`;
  const vectors = `WITH shelved AS (${shelve} RETURNING c.id)
    UPDATE ${schema}.vectors_${generation.id} v SET source = ${SOURCE_NUMBER.pastFacts} FROM shelved s WHERE v.chunk_id = s.id`;
  await sql.executeSql(generation.dimensions === null ? shelve : vectors, [ids]);
}
