import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { sameScopeSql } from "../schema/scope.ts";
import { type FactFilter, factCondition, sourceNameSql, timedSql } from "./fact-filter.ts";

/** A fact, and the text of an earlier fact that it replaced, itself or through others. */
export interface Successor {
  /** The chunk of the fact. */
  readonly chunkId: string;
  readonly ended: string;
  /** Whether the fact meets the filter, and whether this can change with time alone. */
  readonly holds: boolean;
  readonly isTimed: boolean;
}

/** The most ended facts that are looked at, the latest first: a conversation may go on for years. */
const MAX_ENDED = 100;
/** The most replacements that are followed from an ended fact to the fact that holds. */
const MAX_STEPS = 8;

/**
 * Returns the facts that replaced what was captured from some conversations and files.
 *
 * @param sources the names of the conversations and files, as facts name them (`sourceNames`)
 * @param filter the conditions that a later fact must meet
 */
export async function successorsOf(
  sql: SqlExecutor,
  { schema, generationId }: { schema: SchemaName; generationId: number },
  sources: readonly string[],
  filter: FactFilter,
): Promise<Successor[]> {
  const values: unknown[] = [sources];
  const holds = `(${factCondition("n", filter, values)})`;
  const { rows } = await sql.executeSql<Successor>(
    `WITH RECURSIVE later AS (
       (SELECT f.text AS ended, f.superseded_by AS next, f.scope_user, f.scope_agent, f.scope_session, 1 AS steps
          FROM ${schema}.facts f
         WHERE ${sourceNameSql("f")} = ANY($1::text[])
           AND f.superseded_by IS NOT NULL
         ORDER BY f.valid_to DESC, f.id DESC
         LIMIT ${MAX_ENDED})
       UNION ALL
       SELECT l.ended, n.superseded_by, n.scope_user, n.scope_agent, n.scope_session, l.steps + 1
         FROM later l
         JOIN ${schema}.facts n ON n.id = l.next AND ${sameScopeSql("n", "l")}
        WHERE n.superseded_by IS NOT NULL
          AND NOT ${holds}
          AND l.steps < ${MAX_STEPS}
     )
     SELECT c.id::text AS "chunkId", l.ended, ${holds} AS holds, ${timedSql("n")} AS "isTimed"
       FROM later l
       JOIN ${schema}.facts n ON n.id = l.next AND ${sameScopeSql("n", "l")}
                             AND (n.superseded_by IS NULL OR ${holds})
       JOIN ${schema}.chunks_${generationId} c ON c.fact_id = n.id`,
    values,
    { prepare: true },
  );
  return rows;
}
