import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { SOURCE_NUMBER } from "../schema/source-number.ts";

/**
 * Returns a condition: the fact under this alias of `facts` no longer holds. `now()` is the time
 * when the transaction began, but `valid_to` comes from a process's clock. With `now()` alone, a
 * fact that this transaction has just ended would still count as valid.
 */
export function isOverSql(alias: string): string {
  return `${alias}.valid_to <= greatest(now(), ${alias}.updated_at)`;
}

/**
 * Moves the chunks of facts that no longer hold to the source `pastFacts`, which searches of
 * present facts do not read.
 */
export async function shelvePastFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: { id: number; dimensions: number | null },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const shelve = `UPDATE ${schema}.chunks_${generation.id} c
       SET source = ${SOURCE_NUMBER.pastFacts}
      FROM ${schema}.facts f
     WHERE f.id = ANY($1::bigint[])
       AND ${isOverSql("f")}
       AND c.fact_id = f.id`;
  const vectors = `WITH shelved AS (${shelve} RETURNING c.id)
    UPDATE ${schema}.vectors_${generation.id} v
       SET source = ${SOURCE_NUMBER.pastFacts}
      FROM shelved s
     WHERE v.chunk_id = s.id`;
  await sql.executeSql(generation.dimensions === null ? shelve : vectors, [ids]);
}
