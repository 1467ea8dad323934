import type { SqlExecutor } from "../../database.ts";
import { nextNumberSql } from "../space/change-number.ts";
import type { SchemaName } from "../space/schema-name.ts";

/** What happened to a fact besides its being stored. `expired`: by a rule of retention; `merged`: by a merge that did not end it; `restored`: by a rollback; `withdrawn`: by either. */
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
 * A condition: a snapshot needs the row of the fact with this id as it is. It had the fact, and what it was has not been kept since.
 *
 * @param id SQL
 */
export function neededFactSql(schema: SchemaName, id: string): string {
  return `EXISTS (SELECT FROM ${schema}.snapshots s WHERE s.last_fact >= ${id} AND NOT EXISTS (
            SELECT FROM ${schema}.fact_changes c WHERE c.fact_id = ${id} AND c.seq > s.seq AND c.before IS NOT NULL))`;
}

/**
 * The statement that notes a change of facts, to stand before the one that changes them in the same WITH: it reads the rows as they
 * were. All but `ids` are SQL.
 */
export function noteChangeSql(
  schema: SchemaName,
  { ids, kind, at, by }: { ids: string; kind: FactChangeKind; at: string; by: string },
): string {
  const needed = neededFactSql(schema, "f.id");
  // What is said again and again is no news.
  const only = kind === "confirmed" ? `AND ${needed}` : "";
  return `INSERT INTO ${schema}.fact_changes (seq, fact_id, kind, at, by, before)
    SELECT ${nextNumberSql(schema)}, f.id, '${kind}', ${at}::timestamptz, ${by}, CASE WHEN ${needed} THEN to_jsonb(f) END
      FROM ${schema}.facts f WHERE f.id = ANY(${ids}::bigint[]) ${only} ORDER BY f.id`;
}

/** Forgets what facts were, so that no snapshot brings them back. @returns the ids of those of which something was kept */
export async function forgetFactStates(
  sql: SqlExecutor,
  schema: SchemaName,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql.executeSql<{ id: string }>(
    `UPDATE ${schema}.fact_changes SET before = NULL WHERE fact_id = ANY($1::bigint[]) AND before IS NOT NULL
     RETURNING fact_id::text AS id`,
    [ids],
  );
  return [...new Set(rows.map(({ id }) => id))];
}

/** Deletes notes from before a time that no snapshot needs, and what none needs of the others. */
export async function pruneFactChanges(sql: SqlExecutor, schema: SchemaName, before: Date): Promise<void> {
  const needed = `EXISTS (SELECT FROM ${schema}.snapshots s WHERE s.seq < c.seq)`;
  await sql.executeSql(`UPDATE ${schema}.fact_changes c SET before = NULL WHERE before IS NOT NULL AND NOT ${needed}`);
  await sql.executeSql(`DELETE FROM ${schema}.fact_changes WHERE at < $1 AND before IS NULL`, [before]);
}
