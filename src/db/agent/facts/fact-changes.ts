import type { SqlExecutor } from "../../database.ts";
import { nextNumberSql } from "../schema/change-number.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/**
 * The kinds of change that a stored fact can undergo. `expired`: a retention rule deleted the fact;
 * `merged`: a merge changed the fact without ending it; `restored`: a rollback put the fact back;
 * `withdrawn`: a merge or a rollback deleted the fact.
 */
export const FACT_CHANGE_KINDS = [
  "superseded",
  "updated",
  "confirmed",
  "forgotten",
  "expired",
  "merged",
  "restored",
  "withdrawn",
] as const;
export type FactChangeKind = (typeof FACT_CHANGE_KINDS)[number];

/**
 * Returns a condition: a snapshot needs the present row of the fact with this id. The snapshot
 * includes the fact, and no later change has saved the row yet.
 *
 * @param id an SQL expression
 */
export function neededFactSql(schema: SchemaName, id: string): string {
  return `EXISTS (
      SELECT
        FROM ${schema}.snapshots s
       WHERE s.last_fact >= ${id}
         AND NOT EXISTS (
           SELECT
             FROM ${schema}.fact_changes c
            WHERE c.fact_id = ${id}
              AND c.seq > s.seq
              AND c.before IS NOT NULL))`;
}

/**
 * Returns the statement that records a change of facts. It must stand in the same WITH before the
 * statement that changes the facts, so that it reads the rows as they were before the change. All
 * parameters except `ids` are SQL expressions, and `ids` is a parameter or an array expression.
 */
export function noteChangeSql(
  schema: SchemaName,
  { ids, kind, at, by }: { ids: string; kind: FactChangeKind; at: string; by: string },
): string {
  const needed = neededFactSql(schema, "f.id");
  // A confirmation is recorded only if a snapshot needs the row: repeating a fact is no news.
  const only = kind === "confirmed" ? `AND ${needed}` : "";
  return `INSERT INTO ${schema}.fact_changes (seq, fact_id, kind, at, by, before)
    SELECT ${nextNumberSql(schema)}, f.id, '${kind}', ${at}::timestamptz, ${by},
           CASE WHEN ${needed} THEN to_jsonb(f) END
      FROM ${schema}.facts f
     WHERE f.id = ANY(${ids}::bigint[]) ${only}
     ORDER BY f.id`;
}

/** The parts of a deleted fact that snapshots still hold. */
export interface KeptFact {
  id: string;
  text: string;
  subject: string | null;
  key: string | null;
}

/**
 * Returns the deleted facts that snapshots still hold: those with these ids, and their earlier
 * versions that are deleted too.
 */
export async function keptFacts(sql: SqlExecutor, schema: SchemaName, ids: readonly string[]): Promise<KeptFact[]> {
  const { rows } = await sql.executeSql<KeptFact>(
    `WITH RECURSIVE kept AS MATERIALIZED (
       SELECT fact_id AS id, before->>'text' AS text, before->>'key' AS key,
              before->>'subject' AS subject,
              (before->>'superseded_by')::bigint AS next
         FROM ${schema}.fact_changes c
        WHERE before->>'text' IS NOT NULL
          AND NOT EXISTS (SELECT FROM ${schema}.facts f WHERE f.id = c.fact_id)
     ), named AS (
       SELECT id
         FROM unnest($1::bigint[]) AS id
       UNION
       SELECT k.id
         FROM kept k
         JOIN named n ON k.next = n.id
     )
     SELECT DISTINCT k.id::text AS id, k.text, k.subject, k.key
       FROM kept k
       JOIN named n ON n.id = k.id`,
    [ids],
  );
  return rows;
}

/**
 * Erases the saved states of these facts, so that no snapshot can bring them back. Also removes
 * references to them from the saved states of other facts, because the referenced fact no longer
 * exists.
 */
export async function forgetFactStates(sql: SqlExecutor, schema: SchemaName, ids: readonly string[]): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.fact_changes
        SET before = NULL
      WHERE fact_id = ANY($1::bigint[])
        AND before IS NOT NULL`,
    [ids],
  );
  // The foreign key of `superseded_by` does the same when the fact that it refers to is deleted.
  await sql.executeSql(
    `UPDATE ${schema}.fact_changes
        SET before = before || '{"superseded_by": null}'
      WHERE before->>'superseded_by' = ANY($1::text[])`,
    [ids],
  );
}

/**
 * Deletes change records that are older than `before` and that no snapshot needs. Clears the saved
 * rows of all records that no snapshot needs.
 */
export async function pruneFactChanges(sql: SqlExecutor, schema: SchemaName, before: Date): Promise<void> {
  const needed = `EXISTS (SELECT FROM ${schema}.snapshots s WHERE s.seq < c.seq)`;
  await sql.executeSql(`UPDATE ${schema}.fact_changes c SET before = NULL WHERE before IS NOT NULL AND NOT ${needed}`);
  await sql.executeSql(`DELETE FROM ${schema}.fact_changes WHERE at < $1 AND before IS NULL`, [before]);
}
