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

/** What snapshots keep of a fact. */
export interface KeptFact {
  id: string;
  text: string;
  key: string | null;
}

/** What snapshots keep of facts that are gone, and of the versions before them that are gone too. */
export async function keptFacts(sql: SqlExecutor, schema: SchemaName, ids: readonly string[]): Promise<KeptFact[]> {
  const { rows } = await sql.executeSql<KeptFact>(
    `WITH RECURSIVE kept AS MATERIALIZED (
       SELECT fact_id AS id, before->>'text' AS text, before->>'key' AS key, (before->>'superseded_by')::bigint AS next
         FROM ${schema}.fact_changes c
        WHERE before->>'text' IS NOT NULL AND NOT EXISTS (SELECT FROM ${schema}.facts f WHERE f.id = c.fact_id)),
     named AS (SELECT id FROM unnest($1::bigint[]) AS id UNION SELECT k.id FROM kept k JOIN named n ON k.next = n.id)
     SELECT DISTINCT k.id::text AS id, k.text, k.key FROM kept k JOIN named n ON n.id = k.id`,
    [ids],
  );
  return rows;
}

/** Forgets what facts were, so that no snapshot brings them back, nor a fact that refers to one of them, which is not there. */
export async function forgetFactStates(sql: SqlExecutor, schema: SchemaName, ids: readonly string[]): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.fact_changes SET before = NULL WHERE fact_id = ANY($1::bigint[]) AND before IS NOT NULL`,
    [ids],
  );
  // As the column itself does when the fact that it refers to is deleted.
  await sql.executeSql(
    `UPDATE ${schema}.fact_changes SET before = before || '{"superseded_by": null}' WHERE before->>'superseded_by' = ANY($1::text[])`,
    [ids],
  );
}

/** Deletes notes from before a time that no snapshot needs, and what none needs of the others. */
export async function pruneFactChanges(sql: SqlExecutor, schema: SchemaName, before: Date): Promise<void> {
  const needed = `EXISTS (SELECT FROM ${schema}.snapshots s WHERE s.seq < c.seq)`;
  await sql.executeSql(`UPDATE ${schema}.fact_changes c SET before = NULL WHERE before IS NOT NULL AND NOT ${needed}`);
  await sql.executeSql(`DELETE FROM ${schema}.fact_changes WHERE at < $1 AND before IS NULL`, [before]);
}
