import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { type FactFilter, factCondition } from "./fact-filter.ts";
import { FACT_COLUMNS, type FactRow } from "./facts.ts";

/**
 * A condition of the index `facts_standing`: the fact is an instruction or a preference. Facts that
 * were extracted from files are left out, because the author of a file gives an agent no
 * instructions.
 */
const IS_STANDING = "f.category IN ('instruction', 'preference') AND f.source->>'kind' <> 'file'";

/**
 * Returns the instructions and preferences that pass the filter: instructions first, then the most
 * important, and of these the newest.
 */
export async function standingFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  filter: FactFilter,
  limit: number,
): Promise<FactRow[]> {
  const values: unknown[] = [limit];
  const { rows } = await sql.executeSql<FactRow>(
    `SELECT ${FACT_COLUMNS}
       FROM ${schema}.facts f
      WHERE ${IS_STANDING}
        AND ${factCondition("f", filter, values)}
      ORDER BY f.category = 'instruction' DESC, f.importance DESC, f.confirmed_at DESC, f.id DESC
      LIMIT $1`,
    values,
  );
  return rows;
}
