import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../space/schema-name.ts";

/** Which index: the one in use, or the generation that is being built beside it. */
export type IndexTarget = "active" | { readonly building: number };

/** What indexing has to know of a session. */
export interface IndexState {
  id: string;
  lastSeq: number;
  removed: number;
  /** The index has the messages up to this one. */
  heldSeq: number;
}

/** An expression for the last message that the target has of a session. */
function heldSql(target: IndexTarget): string {
  if (target === "active") return "indexed_seq";
  return `(CASE WHEN next_generation = ${Number(target.building)} THEN next_seq ELSE 0 END)`;
}

/** How far the target has to go: all messages, or for a generation being built as far as the one in use. */
function behindSql(target: IndexTarget): string {
  return target === "active" ? "last_seq > indexed_seq" : `indexed_seq > ${heldSql(target)}`;
}

/** Sessions that an index lacks messages of, by id after `afterId`. */
export async function sessionsToIndex(
  sql: SqlExecutor,
  schema: SchemaName,
  target: IndexTarget,
  page: { afterId: string; limit: number },
): Promise<IndexState[]> {
  const { rows } = await sql.executeSql<IndexState>(
    `SELECT id, last_seq AS "lastSeq", removed, ${heldSql(target)} AS "heldSeq" FROM ${schema}.sessions
      WHERE ${behindSql(target)} AND id > $1 ORDER BY id LIMIT $2`,
    [page.afterId, page.limit],
  );
  return rows;
}

/** Sessions by their keys, with how far an index has them. */
export async function indexStatesOf(
  sql: SqlExecutor,
  schema: SchemaName,
  target: IndexTarget,
  keys: readonly string[],
): Promise<Map<string, IndexState>> {
  const { rows } = await sql.executeSql<IndexState & { key: string }>(
    `SELECT key, id, last_seq AS "lastSeq", removed, ${heldSql(target)} AS "heldSeq" FROM ${schema}.sessions
      WHERE key = ANY($1::text[])`,
    [keys],
  );
  return new Map(rows.map(({ key, ...state }) => [key, state]));
}

/** The sessions as they are now, locked until the transaction ends; in the order of ids, as everybody takes them. */
export async function lockIndexStates(
  sql: SqlExecutor,
  schema: SchemaName,
  target: IndexTarget,
  ids: readonly string[],
): Promise<Map<string, IndexState>> {
  const { rows } = await sql.executeSql<IndexState>(
    `SELECT id, last_seq AS "lastSeq", removed, ${heldSql(target)} AS "heldSeq" FROM ${schema}.sessions
      WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Notes how far an index has sessions now. @param indexed `bytes` are those of the messages that were not in it before */
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
    `UPDATE ${schema}.sessions s SET ${change}
       FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS n (id, seq, bytes) WHERE s.id = n.id`,
    [indexed.map((one) => one.id), indexed.map((one) => one.seq), indexed.map((one) => one.bytes)],
  );
}

/** How many sessions the index in use has, and how many of them the generation being built has as far. */
export async function countCarried(
  sql: SqlExecutor,
  schema: SchemaName,
  building: number,
): Promise<{ sessions: number; indexed: number }> {
  const { rows } = await sql.executeSql<{ sessions: number; indexed: number }>(
    `SELECT count(*)::int AS sessions, count(*) FILTER (WHERE NOT ${behindSql({ building })})::int AS indexed
       FROM ${schema}.sessions WHERE indexed_seq > 0`,
  );
  return rows[0] ?? { sessions: 0, indexed: 0 };
}

/** After the flip: the progress of the generation that was being built becomes that of the index in use. */
export async function adoptProgress(sql: SqlExecutor, schema: SchemaName, building: number): Promise<void> {
  const held = heldSql({ building });
  await sql.executeSql(
    `UPDATE ${schema}.sessions s SET indexed_seq = ${held}, next_generation = NULL, next_seq = 0,
            unindexed_bytes = (SELECT coalesce(sum(m.size_bytes), 0) FROM ${schema}.messages m
                                WHERE m.session_id = s.id AND m.seq > ${held})
      WHERE indexed_seq <> ${held} OR next_generation IS NOT NULL`,
  );
}
