import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/** The index to fill: the active one, or the generation that is being built beside it. */
export type IndexTarget = "active" | { readonly building: number };

/** The state of a session that indexing needs. */
export interface IndexState {
  id: string;
  lastSeq: number;
  removed: number;
  /** The index has the messages up to this number. */
  heldSeq: number;
}

/** Returns an expression for the number of the last message of a session that the target has. */
function heldSql(target: IndexTarget): string {
  if (target === "active") return "indexed_seq";
  return `(CASE WHEN next_generation = ${Number(target.building)} THEN next_seq ELSE 0 END)`;
}

/**
 * Returns a condition: the target lacks messages of a session. The active index must have all
 * messages; a generation being built must have the messages of the active index.
 */
function behindSql(target: IndexTarget): string {
  return target === "active" ? "last_seq > indexed_seq" : `indexed_seq > ${heldSql(target)}`;
}

/** Returns sessions whose messages an index lacks, by id after `afterId`. */
export async function sessionsToIndex(
  sql: SqlExecutor,
  schema: SchemaName,
  target: IndexTarget,
  page: { afterId: string; limit: number },
): Promise<IndexState[]> {
  const { rows } = await sql.executeSql<IndexState>(
    `SELECT id, last_seq AS "lastSeq", removed, ${heldSql(target)} AS "heldSeq"
       FROM ${schema}.sessions
      WHERE ${behindSql(target)}
        AND id > $1
      ORDER BY id
      LIMIT $2`,
    [page.afterId, page.limit],
  );
  return rows;
}

/** Returns the states of sessions, by their keys. */
export async function indexStatesOf(
  sql: SqlExecutor,
  schema: SchemaName,
  target: IndexTarget,
  keys: readonly string[],
): Promise<Map<string, IndexState>> {
  const { rows } = await sql.executeSql<IndexState & { key: string }>(
    `SELECT key, id, last_seq AS "lastSeq", removed, ${heldSql(target)} AS "heldSeq"
       FROM ${schema}.sessions
      WHERE key = ANY($1::text[])`,
    [keys],
  );
  return new Map(rows.map(({ key, ...state }) => [key, state]));
}

/**
 * Returns the present states of sessions and locks the sessions until the transaction ends. All
 * transactions lock sessions in the order of their ids.
 */
export async function lockIndexStates(
  sql: SqlExecutor,
  schema: SchemaName,
  target: IndexTarget,
  ids: readonly string[],
): Promise<Map<string, IndexState>> {
  const { rows } = await sql.executeSql<IndexState>(
    `SELECT id, last_seq AS "lastSeq", removed, ${heldSql(target)} AS "heldSeq"
       FROM ${schema}.sessions
      WHERE id = ANY($1::bigint[])
      ORDER BY id
        FOR UPDATE`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Stores up to which message an index has each session.
 *
 * @param indexed `bytes`: the size of the messages that the index did not have before
 */
export async function noteIndexed(
  sql: SqlExecutor,
  schema: SchemaName,
  target: IndexTarget,
  indexed: readonly { id: string; seq: number; bytes: number }[],
): Promise<void> {
  const change =
    target === "active"
      ? `indexed_seq = n.seq, unindexed_bytes = CASE WHEN n.seq = s.last_seq THEN 0 ELSE greatest(0, s.unindexed_bytes - n.bytes) END`
      : `next_generation = ${Number(target.building)}, next_seq = n.seq`;
  await sql.executeSql(
    `UPDATE ${schema}.sessions s
        SET ${change}
       FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS n (id, seq, bytes)
      WHERE s.id = n.id`,
    [indexed.map((one) => one.id), indexed.map((one) => one.seq), indexed.map((one) => one.bytes)],
  );
}

/**
 * Returns how many sessions the active index has, and of how many the generation being built has
 * the same messages.
 */
export async function countCarried(
  sql: SqlExecutor,
  schema: SchemaName,
  building: number,
): Promise<{ sessions: number; indexed: number }> {
  const { rows } = await sql.executeSql<{ sessions: number; indexed: number }>(
    `SELECT count(*)::int AS sessions,
            count(*) FILTER (WHERE NOT ${behindSql({ building })})::int AS indexed
       FROM ${schema}.sessions
      WHERE indexed_seq > 0`,
  );
  return rows[0] ?? { sessions: 0, indexed: 0 };
}

/**
 * Turns the progress of the new generation into the progress of the active index. Called after the
 * switch.
 */
export async function adoptProgress(sql: SqlExecutor, schema: SchemaName, building: number): Promise<void> {
  const held = heldSql({ building });
  await sql.executeSql(
    `UPDATE ${schema}.sessions s
        SET indexed_seq = ${held}, next_generation = NULL, next_seq = 0,
            unindexed_bytes = (
              SELECT coalesce(sum(m.size_bytes), 0)
                FROM ${schema}.messages m
               WHERE m.session_id = s.id
                 AND m.seq > ${held})
      WHERE indexed_seq <> ${held}
         OR next_generation IS NOT NULL`,
  );
}
