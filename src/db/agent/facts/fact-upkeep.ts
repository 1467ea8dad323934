import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { forgetFactStates, noteChangeSql } from "./fact-changes.ts";
import type { DecayClass, IndexedRow } from "./facts.ts";

/**
 * Deletes facts and their entries in every index. Keeps the rows that a snapshot needs, except rows
 * of expired facts.
 */
export async function deleteFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  ids: readonly string[],
  { kind, now, by }: { kind: "forgotten" | "expired" | "withdrawn"; now: Date; by: string },
): Promise<void> {
  const noted = noteChangeSql(schema, { ids: "$1", kind, at: "$2", by: "$3::text" });
  await sql.executeSql(`WITH noted AS (${noted}) DELETE FROM ${schema}.facts WHERE id = ANY($1::bigint[])`, [
    ids,
    now,
    by,
  ]);
  if (kind === "expired") await forgetFactStates(sql, schema, ids);
}

/** Times before which facts are too old to be kept. An undefined time keeps the facts. */
export interface FactCutoffs {
  expired: Date;
  superseded: Date | undefined;
  /**
   * For each decay class: facts of this class that were last confirmed before this time are too
   * old.
   */
  decayed: Partial<Record<DecayClass, Date>>;
}

export interface DoomedFact extends IndexedRow {
  bytes: number;
  rule: "expired" | "superseded" | "decayed";
}

/** Returns some facts that are too old, each with the rule that applies. */
export async function factsToPrune(
  sql: SqlExecutor,
  schema: SchemaName,
  { expired, superseded, decayed }: FactCutoffs,
  limit: number,
): Promise<DoomedFact[]> {
  const classes = Object.entries(decayed);
  const { rows } = await sql.executeSql<DoomedFact>(
    `SELECT f.id::text AS id, f.text, f.subject, f.key, f.size_bytes AS bytes,
            CASE WHEN f.expires_at <= $1 THEN 'expired'
                 WHEN f.valid_to <= $2 THEN 'superseded'
                 ELSE 'decayed' END AS rule
       FROM ${schema}.facts f
       LEFT JOIN unnest($3::text[], $4::timestamptz[]) AS d (class, before)
         ON d.class = f.decay_class
      WHERE f.expires_at <= $1
         OR f.valid_to <= $2
         OR f.confirmed_at <= d.before
      ORDER BY f.id
      LIMIT $5`,
    [
      expired,
      superseded ?? null,
      classes.map(([name]) => name),
      classes.map(([, before]) => before.toISOString()),
      limit,
    ],
  );
  return rows;
}

/** Returns the number and total size of all facts of an agent. */
export async function sumFacts(sql: SqlExecutor, schema: SchemaName): Promise<{ facts: number; bytes: number }> {
  const { rows } = await sql.executeSql<{ facts: number; bytes: number }>(
    `SELECT count(*)::int AS facts, coalesce(sum(size_bytes), 0)::float8 AS bytes
       FROM ${schema}.facts`,
  );
  return rows[0] ?? { facts: 0, bytes: 0 };
}

/** Returns how many facts there are, and how many of them a generation holds. */
export async function countIndexedFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
): Promise<{ facts: number; indexed: number }> {
  const { rows } = await sql.executeSql<{ facts: number; indexed: number }>(
    `SELECT count(*)::int AS facts, count(c.id)::int AS indexed
       FROM ${schema}.facts f
       LEFT JOIN ${schema}.chunks_${generationId} c ON c.fact_id = f.id`,
  );
  return rows[0] ?? { facts: 0, indexed: 0 };
}

/** Returns facts that a generation lacks, by id after `afterId`. */
export async function unindexedFacts(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  page: { afterId: string; limit: number },
): Promise<IndexedRow[]> {
  const { rows } = await sql.executeSql<IndexedRow>(
    `SELECT f.id::text AS id, f.text, f.subject, f.key
       FROM ${schema}.facts f
      WHERE f.id > $1
        AND NOT EXISTS (SELECT FROM ${schema}.chunks_${generationId} c WHERE c.fact_id = f.id)
      ORDER BY f.id
      LIMIT $2`,
    [page.afterId, page.limit],
  );
  return rows;
}

/**
 * Deletes the chunks of facts from an index, so that restored facts are indexed anew. The keyword
 * arm may have packed an old chunk as one of a past fact, and a search of present facts would not
 * find it.
 */
export async function dropFactChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  ids: readonly string[],
): Promise<void> {
  await sql.executeSql(`DELETE FROM ${schema}.chunks_${generationId} WHERE fact_id = ANY($1::bigint[])`, [ids]);
}
